/** client-go's messages for responses by status. Upstream: `apimachinery/pkg/api/errors` (NewGenericServerResponse). */
const WORDS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};
/** How much of the response's own text is repeated. */
const MOST_CHARACTERS = 2048;

/** Why a response is not a success. */
export function badStatus(status: number, body: string): string {
  const said = body.trim().slice(0, MOST_CHARACTERS) || "unknown";
  if (status === 403) return said;
  if (WORDS[status]) return WORDS[status];
  if (status >= 500) {
    return `an error on the server (${JSON.stringify(said)}) has prevented the request from succeeding`;
  }
  return `the server responded with the status code ${status} but did not return more information`;
}
