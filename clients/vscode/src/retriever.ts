// The retriever over gRPC.
import * as path from "node:path";
import * as grpc from "@grpc/grpc-js";
import * as loader from "@grpc/proto-loader";
import type { ProtoGrpcType } from "./generated/retriever";
import type { GetCodeResponse__Output } from "./generated/touchstone/retriever/v1/GetCodeResponse";
import type { RetrieverServiceClient } from "./generated/touchstone/retriever/v1/RetrieverService";
import type { SearchRequest } from "./generated/touchstone/retriever/v1/SearchRequest";
import type { SearchResponse__Output } from "./generated/touchstone/retriever/v1/SearchResponse";
import type { SearchResult__Output } from "./generated/touchstone/retriever/v1/SearchResult";
import type { StreamSearchResponse__Output } from "./generated/touchstone/retriever/v1/StreamSearchResponse";
import type { Endpoint } from "./settings";

export type Answer = SearchResponse__Output;
export type Found = SearchResult__Output;
export type Question = SearchRequest;
export type Piece = StreamSearchResponse__Output;

const MESSAGE_BYTES = 64 * 1024 * 1024;
const ANSWERED = "touchstone-answered";
const PROTOS = path.join(__dirname, "..", "proto");

/** A call that went wrong, in words. */
export class RetrieverError extends Error {}

/** A call that its caller does not wait for any more. */
export class Abandoned extends Error {}

type Call<Request, Answer> = (
  request: Request,
  metadata: grpc.Metadata,
  options: grpc.CallOptions,
  callback: (error: grpc.ServiceError | null, answer?: Answer) => void,
) => grpc.ClientUnaryCall;

export class Retriever {
  private readonly stub: RetrieverServiceClient;

  constructor(private readonly endpoint: Endpoint) {
    this.stub = new (described().touchstone.retriever.v1.RetrieverService)(endpoint.address, credentials(endpoint), {
      "grpc.max_receive_message_length": MESSAGE_BYTES,
      "grpc.max_send_message_length": MESSAGE_BYTES,
      // gRPC would by itself go through the proxy of the environment, to this machine too, and show it the token.
      "grpc.enable_http_proxy": 0,
    });
  }

  search(question: Question, timeoutSeconds: number, signal?: AbortSignal): Promise<Answer> {
    return this.call<SearchRequest, Answer>(this.stub.search.bind(this.stub), question, timeoutSeconds, signal);
  }

  /** The same answer; what there is before it is told as it comes. Who aborts stops what goes on at the server. */
  searchInPieces(
    question: Question,
    timeoutSeconds: number,
    tell: (piece: Piece) => void,
    signal: AbortSignal,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(new Abandoned());
      const deadline = Date.now() + timeoutSeconds * 1000;
      const running = this.stub.streamSearch({ search: question }, this.metadata(), { deadline });
      const abandon = () => running.cancel();
      signal.addEventListener("abort", abandon);
      let whole: Answer | null = null;
      running.on("data", (piece: Piece) => {
        if (piece.step === "answer") whole = piece.answer;
        else if (!signal.aborted) tell(piece);
      });
      running.on("error", (error: grpc.ServiceError) => {
        signal.removeEventListener("abort", abandon);
        reject(signal.aborted ? new Abandoned() : new RetrieverError(words(error, this.endpoint, timeoutSeconds)));
      });
      running.on("end", () => {
        signal.removeEventListener("abort", abandon);
        // An error is told by its own event, which may come behind this one.
        if (whole) resolve(whole);
        else setImmediate(() => reject(new RetrieverError(words(null, this.endpoint, timeoutSeconds))));
      });
    });
  }

  async code(functionId: string, timeoutSeconds: number): Promise<Found> {
    const call: Call<{ functionId: string }, GetCodeResponse__Output> = this.stub.getCode.bind(this.stub);
    const answer = await this.call(call, { functionId }, timeoutSeconds);
    if (!answer.code) throw new RetrieverError(`${functionId}: the server answered without code.`);
    return answer.code;
  }

  close(): void {
    this.stub.close();
  }

  private call<Request, Answer>(
    method: Call<Request, Answer>,
    request: Request,
    timeoutSeconds: number,
    signal?: AbortSignal,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new Abandoned());
      const deadline = Date.now() + timeoutSeconds * 1000;
      const running = method(request, this.metadata(), { deadline }, (error, answer) => {
        signal?.removeEventListener("abort", abandon);
        if (signal?.aborted) reject(new Abandoned());
        else if (error || !answer) reject(new RetrieverError(words(error, this.endpoint, timeoutSeconds)));
        else resolve(answer);
      });
      const abandon = () => running.cancel();
      signal?.addEventListener("abort", abandon);
    });
  }

  private metadata(): grpc.Metadata {
    const metadata = new grpc.Metadata();
    if (this.endpoint.token) metadata.set("authorization", `Bearer ${this.endpoint.token}`);
    return metadata;
  }
}

let loaded: ProtoGrpcType | undefined;

function described(): ProtoGrpcType {
  loaded ??= grpc.loadPackageDefinition(
    loader.loadSync("touchstone/retriever/v1/retriever.proto", {
      includeDirs: [PROTOS],
      longs: Number,
      enums: String,
      defaults: true,
      oneofs: true,
    }),
  ) as unknown as ProtoGrpcType;
  return loaded;
}

function credentials(endpoint: Endpoint): grpc.ChannelCredentials {
  if (!endpoint.authority) return grpc.credentials.createInsecure();
  return grpc.credentials.createSsl(endpoint.authority === "system" ? null : Buffer.from(endpoint.authority));
}

function words(error: grpc.ServiceError | null, endpoint: Endpoint, timeoutSeconds: number): string {
  const details = (error?.details ?? "").replace(/\s+/g, " ").trim();
  switch (error?.code) {
    case grpc.status.UNAVAILABLE:
      // What the server says of others who are away is no word of gRPC's about the way to the server.
      return error.metadata?.get(ANSWERED).length ? details : unreachable(details, endpoint);
    case grpc.status.DEADLINE_EXCEEDED:
      return `The retriever at ${endpoint.address} took longer than ${timeoutSeconds} s (touchstone.timeoutSeconds).`;
    case grpc.status.UNAUTHENTICATED:
      return `The server does not know you: ${details}. Run "Touchstone: Set Token", or name a file in touchstone.tokenFile.`;
    case grpc.status.PERMISSION_DENIED:
      return `Your token does not reach so far: ${details}.`;
    case grpc.status.UNIMPLEMENTED:
      return `The server at ${endpoint.address} does not know this request: is it of another version?`;
    default:
      return details || `The retriever at ${endpoint.address} failed.`;
  }
}

function unreachable(details: string, endpoint: Endpoint): string {
  const how = endpoint.authority ? "with TLS" : "without TLS";
  if (/certificate|CERT_|self[- ]signed|SSL|TLS|EPROTO|ECONNRESET|socket hang up/i.test(details)) {
    return `No safe connection to ${endpoint.address} ${how}: ${details}. See touchstone.tlsAuthority.`;
  }
  if (/No connection established|ECONNREFUSED|ENOENT|ENOTFOUND|EAI_AGAIN|Name resolution/i.test(details) || !details) {
    return `Nothing answers at ${endpoint.address} ${how}: start it with "touchstone up", or correct touchstone.address.`;
  }
  return details;
}
