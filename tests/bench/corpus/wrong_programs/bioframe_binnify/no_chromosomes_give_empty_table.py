# Wrong: an empty chromsizes gives a table without rows instead of a ValueError
import numpy as np
import pandas as pd

def binnify(chromsizes, binsize, rel_ids=False):
    if not isinstance(binsize, int):
        raise ValueError("binsize must be int")
    if len(chromsizes) == 0:
        columns = ["chrom", "start", "end"] + (["rel_id"] if rel_ids else [])
        return pd.DataFrame({c: pd.Series(dtype="int64") for c in columns})

    def bins(chrom):
        clen = chromsizes[chrom]
        n = int(np.ceil(clen / binsize))
        edges = np.arange(0, n + 1) * binsize
        edges[-1] = clen
        return pd.DataFrame({"chrom": [chrom] * n, "start": edges[:-1], "end": edges[1:]},
                            columns=["chrom", "start", "end"])

    table = pd.concat([bins(c) for c in chromsizes.keys()], ignore_index=True)
    if rel_ids:
        table["rel_id"] = table.groupby("chrom", sort=False).cumcount()
    return table
