/** Parses requests and writes responses. */
export {
  answerError,
  answerJson,
  type AnswerOptions,
  answerSuccess,
  answerText,
  sizedText,
  warningHeaders,
} from "./answers.ts";
export { emptyObjectText, itemText, listOpening, metadataText, objectText } from "./encode.ts";
export { type Form, inMetaVersion, negotiate } from "./negotiate.ts";
export {
  booleanParameter,
  integerParameter,
  managerOfAgent,
  readDryRun,
  refuse,
  type WriteOptionsKind,
  writeParameters,
} from "./parameters.ts";
export { parseParts, type PathParts, type Route, routeOf, segmentsOf, type Verb } from "./routes.ts";
