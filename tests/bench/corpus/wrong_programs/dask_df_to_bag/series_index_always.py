# WRONG: the index is given even when not asked for
import pandas as pd


def df_to_bag(df, index=False, format="tuple"):
    if isinstance(df, pd.DataFrame):
        if format == "tuple":
            return [tuple(row) for row in df.itertuples(index=index)]
        if format == "dict":
            records = df.to_dict(orient="records")
            if index:
                return [{"index": i, **r} for i, r in zip(df.index, records)]
            return records
    elif isinstance(df, pd.Series):
        if format == "tuple":
            return list(df.items())
        if format == "dict":
            return df.to_frame().to_dict(orient="records")
    return None
