"""`python -m embedder` serves."""

from embedder.app import serve

if __name__ == "__main__":
    serve()
