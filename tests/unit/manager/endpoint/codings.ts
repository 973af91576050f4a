/** What upstream's manager answers by gzip, and to whom at `/metrics` and `/metrics/slis`; the cluster test holds both against it. */

/** The values of the request's Accept-Encoding headers; whether the answer is by gzip. */
export type Coding = readonly [values: readonly string[], isGzip: boolean];

export const CODINGS: readonly Coding[] = [
  [[], false],
  [["gzip"], true],
  [["GZIP"], false],
  [["x-gzip"], false],
  [["gzip/x"], false],
  [['"gzip"'], false],
  [["gzip;q=0"], false],
  [["gzip;q=0."], false],
  [["gzip;q=0.0"], false],
  [["gzip;q=0.001"], true],
  [["gzip; q=0.5"], true],
  [["gzip ;q=0.5"], true],
  [["gzip;q=1."], true],
  [["gzip;q=1.5"], true],
  [["gzip;q=2"], false],
  [["gzip;q="], false],
  [["gzip;q=abc"], false],
  [["gzip;Q=0.5"], false],
  [["gzip; q = 1"], false],
  [["gzip;level=1"], false],
  [["gzip;q=0.5;a=b, identity"], true],
  [["*"], false],
  [["*;q=0"], false],
  [["*;q=0.5, gzip"], true],
  [["*;q=0, gzip;q=0.1"], true],
  [["gzip;q=0, *"], false],
  [["identity;q=0, *"], false],
  [["identity"], false],
  [["identity;q=0"], false],
  [["identity;q=0, gzip"], true],
  [["identity;q=0.5, gzip;q=1"], true],
  [["identity, gzip"], false],
  [["gzip, identity"], false],
  [["gzip;q=0.5, identity;q=0.5"], false],
  [["gzip;q=0.5, identity;q=0.4"], true],
  [["zstd"], false],
  [["zstd, gzip;q=0.5"], true],
  [["br"], false],
  [["deflate"], false],
  [["gzip, deflate, br"], true],
  [[""], false],
  [["gzip,"], true],
  [[",gzip"], false],
  [["gzip,,identity"], true],
  [["gzip identity"], true],
  [["foo bar, gzip"], false],
  [["foo;q=x, gzip"], false],
  [["gzip\t,\tidentity;q=0.1"], true],
  [["gzip;q=0.1", "identity;q=0.2"], false],
  [["identity;q=0.1", "gzip;q=0.2"], true],
  [["", "gzip"], true],
  [["foo bar", "gzip"], true],
  [["gzip, ".repeat(10_000)], true],
];

/** What is asked for with `Accept-Encoding: gzip`; whether the answer is by gzip. */
export const LINES: readonly (readonly [line: string, isGzip: boolean])[] = [
  ["HEAD /metrics", true],
  ["POST /metrics", true],
  ["DELETE /metrics", true],
  ["OPTIONS /metrics", true],
  ["HEAD /metrics/slis", true],
  ["PUT /metrics/slis", true],
  ["DELETE /metrics/slis", false],
  ["GET /healthz", false],
  ["GET /configz", false],
  ["GET /flagz", false],
  ["GET /statusz", false],
  ["GET /debug/pprof/", false],
  ["GET /debug/flags", false],
  ["GET /debug/controllers/garbage-collector-controller/graph", false],
  ["GET /nosuch", false],
];

/** A request's headers with these values. */
export function acceptEncoding(values: readonly string[]): string[] {
  return values.map((value) => `Accept-Encoding: ${value}`);
}
