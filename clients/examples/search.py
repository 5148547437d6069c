"""Find code in plain words: python search.py 127.0.0.1:7103 .state/token "shorten text to a width"."""

import sys
from pathlib import Path

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, dial_blocking

if len(sys.argv) != 4:
    sys.exit(__doc__)
address, token_file, words = sys.argv[1:]
with dial_blocking(address, Identity.of(token_file=Path(token_file))) as channel:
    answer = rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query=words), timeout=60)
for one in answer.results:
    print(f"{one.location.path}:{one.location.line_start} {one.location.qualname} {one.score:.3f}")
