/** Decodes Protobuf, which kubectl's typed commands and Go's managers send. */
export { decodeProtobuf, rawText, readEnvelope } from "./protobuf.ts";
