# Wrong: a length with a fraction is cut to a whole number before the bins are counted
import numpy as np
import pandas as pd

def binnify(chromsizes, binsize, rel_ids=False):
    if not isinstance(binsize, int):
        raise ValueError("binsize must be int")

    def bins(chrom):
        clen = chromsizes[chrom]
        clen = int(clen)
        n = int(np.ceil(clen / binsize))
        edges = np.arange(0, n + 1) * binsize
        edges[-1] = clen
        return pd.DataFrame({"chrom": [chrom] * n, "start": edges[:-1], "end": edges[1:]},
                            columns=["chrom", "start", "end"])

    table = pd.concat([bins(c) for c in chromsizes.keys()], ignore_index=True)
    if rel_ids:
        table["rel_id"] = table.groupby("chrom", sort=False).cumcount()
    return table
