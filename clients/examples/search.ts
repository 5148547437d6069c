// Find code in plain words, from a checkout: node search.ts 127.0.0.1:7103 .state/token "shorten text to a width"
import { readFileSync } from "node:fs";
import grpc from "@grpc/grpc-js";
import loader from "@grpc/proto-loader";

const [address, tokenFile, query] = process.argv.slice(2);
const described = loader.loadSync("touchstone/retriever/v1/retriever.proto", { includeDirs: ["proto"] });
const { RetrieverService } = (grpc.loadPackageDefinition(described) as any).touchstone.retriever.v1;
const metadata = new grpc.Metadata();
metadata.set("authorization", `Bearer ${readFileSync(tokenFile, "utf8").trim()}`);
// Through no proxy of the environment: it would see the token.
const options = { "grpc.enable_http_proxy": 0 };
const service = new RetrieverService(address, grpc.credentials.createInsecure(), options);
service.Search({ query }, metadata, (error: any, answer: any) => {
  if (error) throw error;
  for (const { location, score } of answer.results) {
    console.log(`${location.path}:${location.lineStart} ${location.qualname} ${score.toFixed(3)}`);
  }
});
