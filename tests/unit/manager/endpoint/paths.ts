/** What upstream's manager answers who asks for odd paths; the cluster test holds both against it. */

/** Who asks: nobody; who may get `/metrics`, and what everybody may; who may do anything. */
export const ASKERS = ["nobody", "scraper", "operator"] as const;
export type Asker = typeof ASKERS[number];

/** What is asked for; what the three get; where they are sent, where they are. */
export type OddRequest = readonly [line: string, status: readonly [number, number, number], location?: string];

const OPEN = [200, 200, 200] as const;
const METRICS = [403, 200, 200] as const;
const OPERATOR = [403, 403, 200] as const;
const UNKNOWN = [403, 403, 404] as const;
const BAD = [400, 400, 400] as const;

export const ODD_REQUESTS: readonly OddRequest[] = [
  ["GET /healthz", OPEN],
  ["GET /%68ealthz", OPEN],
  ["GET /h%65althz?verbose", OPEN],
  ["GET /healthz??", OPEN],
  ["GET /healthz?%zz", OPEN],
  ["GET /healthz?a;b", OPEN],
  ["GET http://x/%68ealthz", OPEN],
  ["GET HTTPS://user:word@[::1]:99/healthz", OPEN],
  ["GET http:///healthz", OPEN],
  ["GET //healthz", UNKNOWN],
  ["GET /%2fhealthz", UNKNOWN],
  ["GET ///healthz", UNKNOWN],
  ["GET http://x//healthz", UNKNOWN],
  ["GET /./healthz", UNKNOWN],
  ["GET /%2e/healthz", UNKNOWN],
  ["GET /../healthz", UNKNOWN],
  ["GET /metrics/../healthz", UNKNOWN],
  ["GET /healthz/../metrics", UNKNOWN],
  ["GET /healthz/", UNKNOWN],
  ["GET /healthz/.", UNKNOWN],
  ["GET /healthz/..", UNKNOWN],
  ["GET /healthz%2f", UNKNOWN],
  ["GET /healthz%20", UNKNOWN],
  ["GET /healthz%00", UNKNOWN],
  ["GET /healthz%3fverbose", UNKNOWN],
  ["GET /healthz%c3%a9", UNKNOWN],
  ["GET /healthz%ff", UNKNOWN],
  ["GET /healthz;a=b", UNKNOWN],
  ["GET /healthz#x", UNKNOWN],
  ["GET /\\healthz", UNKNOWN],
  ["GET /HEALTHZ", UNKNOWN],
  ["GET /", UNKNOWN],
  ["GET *", UNKNOWN],
  ["GET http://x", UNKNOWN],
  ["GET http://x?/healthz", UNKNOWN],
  ["GET /healthz%", BAD],
  ["GET /healthz%2", BAD],
  ["GET /healthz%zz", BAD],
  ["GET healthz", BAD],
  ["GET %2Fhealthz", BAD],
  ["GET http://x:y/healthz", BAD],
  ["GET http://a:b:1/healthz", BAD],
  ["GET /metri%63s", METRICS],
  ["GET /metrics/", UNKNOWN],
  ["GET //metrics", UNKNOWN],
  ["GET /metrics%2fslis", OPERATOR],
  ["GET /c%6fnfigz", OPERATOR],
  ["GET /st%61tusz", OPERATOR],
  ["GET /fl%61gz/", UNKNOWN],
  ["GET /debug/%70prof", [403, 403, 302], "/debug/pprof/"],
  ["GET /debug/pprof", [403, 403, 302], "/debug/pprof/"],
  ["GET /debug/pprof/", OPERATOR],
  ["GET /debug/pprof/../flags", UNKNOWN],
  ["GET /debug/pprof/a%2fb", UNKNOWN],
  ["GET /debug/flags", OPERATOR],
  ["GET /debug/flags/x", OPERATOR],
  ["GET /debug/flags/v/", OPERATOR],
  ["GET /debug/flags/%76", [403, 403, 406]],
  ["GET /debug/controllers/garbage-collector-controller//graph", UNKNOWN],
  ["HEAD /%68ealthz", OPEN],
  ["POST /%68ealthz", OPEN],
  ["DELETE /healthz", OPEN],
  ["OPTIONS /healthz", OPEN],
  ["PROPFIND /healthz", OPEN],
  ["TRACE /%68ealthz", OPEN],
  ["TRACE /metrics", OPERATOR],
  ["POST /metrics", OPERATOR],
  ["POST //healthz", UNKNOWN],
];
