import { assertEquals, assertRejects } from "@std/assert";
import { PODS, type Resource, type Status } from "../../../src/api/mod.ts";
import * as client from "../../../src/client/mod.ts";
import { StatusError } from "../../../src/client/mod.ts";
import { testClient } from "./test_server.ts";

const METRIC_PODS: Resource = { ...PODS, group: "metrics.k8s.io", version: "v1beta1" };
const ON = "(get pods.metrics.k8s.io web-0)";
const ref = { namespace: "x", name: "web-0" };

async function errorFor(code: number, body: string, headers: Record<string, string> = {}): Promise<StatusError> {
  const { client: c } = testClient([new Response(body, { status: code, headers })]);
  return await assertRejects(() => c.get(METRIC_PODS, ref), StatusError);
}

const SYNTHESISED: readonly (readonly [code: number, reason: string, text: string])[] = [
  [400, "BadRequest", "the server rejected our request for an unknown reason"],
  [401, "Unauthorized", "the server has asked for the client to provide credentials"],
  [403, "Forbidden", "the body"],
  [404, "NotFound", "the server could not find the requested resource"],
  [405, "MethodNotAllowed", "the server does not allow this method on the requested resource"],
  [406, "NotAcceptable", "the body"],
  [409, "Conflict", "the server reported a conflict"],
  [410, "", "the server responded with the status code 410 but did not return more information"],
  [415, "UnsupportedMediaType", "the body"],
  [418, "", "the server responded with the status code 418 but did not return more information"],
  [422, "Invalid", "the server rejected our request due to an error in our request"],
  [429, "TooManyRequests", "the server has received too many requests and has asked us to try again later"],
  [500, "InternalError", 'an error on the server ("the body") has prevented the request from succeeding'],
  [502, "InternalError", 'an error on the server ("the body") has prevented the request from succeeding'],
  [503, "ServiceUnavailable", "the server is currently unable to handle the request"],
  [
    504,
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
];

for (const [code, reason, text] of SYNTHESISED) {
  Deno.test(`StatusError is made up for code ${code} without a Status`, async () => {
    const error = await errorFor(code, " the body\n");
    assertEquals([error.code, error.reason, error.message], [code, reason, `${text} ${ON}`]);
    assertEquals(error.details?.causes, [{ reason: "UnexpectedServerResponse", message: "the body" }]);
    assertEquals([error.details?.group, error.details?.kind, error.details?.name], ["metrics.k8s.io", "pods", "web-0"]);
  });
}

Deno.test("StatusError names no object for a list, and no resource for a raw path", async () => {
  const { client: c } = testClient([new Response("", { status: 404 })]);
  const text = "the server could not find the requested resource";
  await assertRejects(() => c.list(METRIC_PODS), StatusError, `${text} (get pods.metrics.k8s.io)`);
  const error = await assertRejects(() => c.request("GET", "/nothing"), StatusError);
  assertEquals(error.message, text);
});

Deno.test("StatusError says 'unknown' for a body that is not text, and quotes text as Go does", async () => {
  const png = { "content-type": "image/png" };
  assertEquals((await errorFor(403, "PNG", png)).message, `unknown ${ON}`);
  assertEquals(
    (await errorFor(406, "PNG", png)).message,
    `the server was unable to respond with a content type that the client supports ${ON}`,
  );
  assertEquals(
    (await errorFor(500, 'say "no"\n\tor', { "content-type": "text/plain; charset=utf-8" })).message,
    `an error on the server ("say \\"no\\"\\n\\tor") has prevented the request from succeeding ${ON}`,
  );
});

Deno.test("StatusError keeps at most 2048 bytes of a body", async () => {
  const error = await errorFor(500, "x".repeat(5000));
  assertEquals(error.details?.causes?.[0].message?.length, 2048);
});

Deno.test("StatusError for a bare 409 is AlreadyExists on POST and Conflict on PUT", async () => {
  const pod = { metadata: { name: "a", namespace: "b" } };
  const { client: c } = testClient([new Response("taken", { status: 409 })]);
  const posted = await assertRejects(() => c.create(PODS, pod));
  const put = await assertRejects(() => c.update(PODS, pod));
  assertEquals([client.isAlreadyExists(posted), client.isConflict(posted)], [true, false]);
  assertEquals([client.isAlreadyExists(put), client.isConflict(put)], [false, true]);
});

Deno.test("StatusError is the server's own Status where there is one", async () => {
  const status: Status = {
    kind: "Status",
    apiVersion: "v1",
    status: "Failure",
    message: 'pods "web-0" not found',
    reason: "NotFound",
    details: { name: "web-0", kind: "pods" },
    code: 404,
  };
  const error = await errorFor(404, JSON.stringify(status), { "content-type": "application/json" });
  assertEquals(error.message, 'pods "web-0" not found');
  assertEquals(error.status, status);
});

Deno.test("StatusError ignores a JSON body that is not a failure Status", async () => {
  const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Success" });
  assertEquals((await errorFor(404, body)).reason, "NotFound");
  assertEquals((await errorFor(404, '{"a":"Failure')).reason, "NotFound");
});

Deno.test("StatusError takes retryAfterSeconds from the header when the Status has none", async () => {
  const { client: c } = testClient([new Response("", { status: 403, headers: { "retry-after": "7" } })]);
  const error = await assertRejects(() => c.get(PODS, ref), StatusError);
  assertEquals(error.retryAfterSeconds, 7);
});

const failure = (code: number, reason: string, details?: Status["details"]): StatusError =>
  new StatusError({ status: "Failure", code, reason, message: "m", details });

/** By reason, its code: which predicate answers for the reason alone, and which for a bare code. */
const PREDICATES: readonly {
  readonly is: (error: unknown) => boolean;
  readonly reason: string;
  readonly code: number;
  readonly byBareCode: boolean;
  readonly byCodeAnyway?: boolean;
}[] = [
  { is: client.isBadRequest, reason: "BadRequest", code: 400, byBareCode: true },
  { is: client.isUnauthorized, reason: "Unauthorized", code: 401, byBareCode: true },
  { is: client.isForbidden, reason: "Forbidden", code: 403, byBareCode: true },
  { is: client.isNotFound, reason: "NotFound", code: 404, byBareCode: true },
  { is: client.isMethodNotAllowed, reason: "MethodNotAllowed", code: 405, byBareCode: true },
  { is: client.isNotAcceptable, reason: "NotAcceptable", code: 406, byBareCode: true },
  { is: client.isAlreadyExists, reason: "AlreadyExists", code: 409, byBareCode: false },
  { is: client.isConflict, reason: "Conflict", code: 409, byBareCode: true },
  { is: client.isGone, reason: "Gone", code: 410, byBareCode: true },
  { is: client.isExpired, reason: "Expired", code: 410, byBareCode: false },
  {
    is: client.isRequestEntityTooLarge,
    reason: "RequestEntityTooLarge",
    code: 413,
    byBareCode: true,
    byCodeAnyway: true,
  },
  { is: client.isUnsupportedMediaType, reason: "UnsupportedMediaType", code: 415, byBareCode: true },
  { is: client.isInvalid, reason: "Invalid", code: 422, byBareCode: true },
  { is: client.isTooManyRequests, reason: "TooManyRequests", code: 429, byBareCode: true, byCodeAnyway: true },
  { is: client.isInternalError, reason: "InternalError", code: 500, byBareCode: true },
  { is: client.isServerTimeout, reason: "ServerTimeout", code: 500, byBareCode: false },
  { is: client.isStorageReadError, reason: "StorageReadError", code: 500, byBareCode: false },
  { is: client.isServiceUnavailable, reason: "ServiceUnavailable", code: 503, byBareCode: true },
  { is: client.isTimeout, reason: "Timeout", code: 504, byBareCode: true },
];

for (const { is, reason, code, byBareCode, byCodeAnyway = false } of PREDICATES) {
  Deno.test(`Predicate for ${reason} goes by the reason, and by the code only as upstream does`, () => {
    const other = reason === "NotFound" ? "Conflict" : "NotFound";
    assertEquals(is(failure(0, reason)), true);
    assertEquals(is(failure(code, "")), byBareCode);
    assertEquals(is(failure(code, "NobodyKnows")), byBareCode);
    assertEquals(is(failure(code, other)), byCodeAnyway);
    assertEquals(is(new Error("wrapped", { cause: failure(code, reason) })), true);
    assertEquals(is(new Error(reason)), false);
    assertEquals(is(undefined), false);
  });
}

Deno.test("isNamespaceTerminating goes by the cause", () => {
  const causes = [{ reason: "NamespaceTerminating", message: "x" }];
  assertEquals(client.isNamespaceTerminating(failure(403, "Forbidden", { causes })), true);
  assertEquals(client.isNamespaceTerminating(failure(403, "Forbidden")), false);
});

Deno.test("isTooLargeResourceVersion goes by the cause, or by the words of a timeout", () => {
  const is = client.isTooLargeResourceVersion;
  const words = "Too large resource version: 9, current: 5";
  assertEquals(is(failure(504, "Timeout", { causes: [{ reason: "ResourceVersionTooLarge" }] })), true);
  assertEquals(is(failure(504, "Timeout", { causes: [{ message: "Too large resource version" }] })), true);
  assertEquals(is(new StatusError({ code: 504, reason: "Timeout", message: `Timeout: ${words}` })), true);
  assertEquals(is(new StatusError({ code: 400, reason: "BadRequest", message: words })), false);
  assertEquals(is(failure(504, "Timeout")), false);
});

Deno.test("suggestedDelaySeconds answers for a delay asked for, and always for ServerTimeout", () => {
  assertEquals(client.suggestedDelaySeconds(failure(429, "TooManyRequests", { retryAfterSeconds: 3 })), 3);
  assertEquals(client.suggestedDelaySeconds(failure(429, "TooManyRequests")), undefined);
  assertEquals(client.suggestedDelaySeconds(failure(500, "ServerTimeout")), 0);
});

Deno.test("a Status with a field of another type does not count: nothing of it is printed or decided by", async () => {
  const odd = [
    { message: { a: 1 } },
    { message: ["a"] },
    { reason: { a: 1 } },
    { code: "409" },
    { details: "x" },
    { details: { causes: {} } },
    { details: { causes: [null] } },
    { details: { causes: [{ reason: 1 }] } },
    { details: { retryAfterSeconds: "9" } },
  ];
  for (const fields of odd) {
    const body = { kind: "Status", apiVersion: "v1", status: "Failure", message: "m", reason: "Conflict", ...fields };
    const { client: its } = testClient([Response.json(body, { status: 404 })]);
    const error = await assertRejects(() => its.get(PODS, { namespace: "a", name: "b" }), StatusError);
    assertEquals(
      error.message,
      "the server could not find the requested resource (get pods b)",
      JSON.stringify(fields),
    );
    assertEquals(client.isConflict(error), false);
    assertEquals(client.isNamespaceTerminating(error), false);
  }
});
