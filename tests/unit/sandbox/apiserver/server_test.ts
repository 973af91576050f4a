/** What the whole server promises. Whether each answer is kube-apiserver's is what `tests/cluster/differential_test.ts` compares. */
import { assertEquals, assertRejects } from "@std/assert";
import { CONFIG_MAPS, Harness, type Loose, MERGE, PODS } from "./harness.ts";

const STATUS = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };

/** Requests that are refused, with what kube-apiserver v1.36 says to them. */
const REFUSED: readonly (readonly [method: string, path: string, body: unknown, said: Loose])[] = [
  ["GET", `${PODS}/none`, undefined, {
    ...STATUS,
    message: 'pods "none" not found',
    reason: "NotFound",
    details: { name: "none", kind: "pods" },
    code: 404,
  }],
  ["GET", "/api/v9/pods", undefined, {
    ...STATUS,
    message: "the server could not find the requested resource",
    reason: "NotFound",
    details: {},
    code: 404,
  }],
  ["DELETE", "/api/v1/nodes/none/status", undefined, {
    ...STATUS,
    message: "the server does not allow this method on the requested resource",
    reason: "MethodNotAllowed",
    details: {},
    code: 405,
  }],
  ["POST", CONFIG_MAPS, { metadata: {} }, {
    ...STATUS,
    message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    reason: "Invalid",
    details: {
      kind: "ConfigMap",
      causes: [{
        reason: "FieldValueRequired",
        message: "Required value: name or generateName is required",
        field: "metadata.name",
      }],
    },
    code: 422,
  }],
];

Deno.test("ApiServer: `fetch` answers as kube-apiserver v1.36 would, with errors as Status bodies; it rejects only for a dropped connection or an aborted request", async () => {
  using api = new Harness();
  for (const [method, path, body, said] of REFUSED) {
    assertEquals((await api.send(method, path, body)).body, said, `${method} ${path}`);
  }
  // What goes wrong in here is answered, too.
  const broken = () => Promise.reject(new Error("broken"));
  api.server.addPage("/broken", broken);
  const { status, body } = await api.get("/broken");
  assertEquals([status, body.kind, body.reason, body.message], [
    500,
    "Status",
    "InternalError",
    "Internal error occurred: broken",
  ]);
  const odd = [
    "/api/v1/%ff",
    `${PODS}/%`,
    `${PODS}?limit=x`,
    `${PODS}?resourceVersion=-1`,
    `${PODS}?watch=true&timeoutSeconds=x`,
  ];
  for (const path of odd) {
    const response = await api.server.fetch(api.request("GET", path));
    if (response.status >= 400) assertEquals((await response.json()).kind, "Status", path);
    else await response.body?.cancel();
  }
  api.server.faults.add({ verb: "get", times: 1, drop: "before" });
  await assertRejects(() => api.get(`${PODS}/none`), TypeError, "error sending request");
  const aborted = new Request(`http://server${PODS}`, { signal: AbortSignal.abort(new Error("gone")) });
  await assertRejects(() => api.server.fetch(aborted), Error, "gone");
});

Deno.test("ApiServer: reading, deciding and writing are one step", async () => {
  using api = new Harness();
  const { body } = await api.post(CONFIG_MAPS, { metadata: { name: "a" }, data: {} });
  const COUNT = 40;
  const numbers = Array.from({ length: COUNT }, (_, i) => String(i));
  const puts = await Promise.all(
    numbers.map((n) => api.put(`${CONFIG_MAPS}/a`, { ...body, data: { only: n } })),
  );
  assertEquals(puts.map(({ status }) => status).toSorted(), [200, ...Array(COUNT - 1).fill(409)]);
  const creations = await Promise.all(numbers.map(() => api.post(CONFIG_MAPS, { metadata: { name: "b" } })));
  assertEquals(creations.map(({ status }) => status).toSorted(), [201, ...Array(COUNT - 1).fill(409)]);

  // A write that webhooks are asked about sees what others have written meanwhile.
  const hook = { url: "https://hooks.example.com/" };
  await api.post("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
    metadata: { name: "m" },
    webhooks: [{
      name: "m.example.com",
      clientConfig: hook,
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      rules: [{ operations: ["UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
    }],
  });
  api.server.addWebhook("https://hooks.example.com", async (request) => {
    const { request: { uid, object }, ...review } = await request.json();
    await new Promise((resolve) => queueMicrotask(() => resolve(undefined)));
    const labels = { seen: String(Object.keys(object.data).length) };
    const patch = btoa(JSON.stringify([{ op: "add", path: "/metadata/labels", value: labels }]));
    return Response.json({ ...review, response: { uid, allowed: true, patchType: "JSONPatch", patch } });
  });
  const patches = numbers.slice(0, 4).map((n) => api.patch(`${CONFIG_MAPS}/b`, { data: { [n]: n } }, MERGE));
  assertEquals((await Promise.all(patches)).map(({ status }) => status), [200, 200, 200, 200]);
  const { body: after } = await api.get(`${CONFIG_MAPS}/b`);
  assertEquals(after.data, { "0": "0", "1": "1", "2": "2", "3": "3" });
  assertEquals(after.metadata.labels, { seen: "4" });
});

Deno.test("ApiServer: after `close` every watch has ended and every request is refused with 503", async () => {
  const api = new Harness();
  const watches = [await api.watch(CONFIG_MAPS), await api.watch(PODS), await api.watch("/api/v1/nodes")];
  assertEquals(api.server.openWatches, 3);
  api.server.close();
  for (const watch of watches) assertEquals(await watch.next(), undefined);
  assertEquals([api.server.openWatches, api.world.clock.pendingTimers], [0, 0]);
  const requests: [string, string, unknown?][] = [
    ["GET", PODS],
    ["GET", `${PODS}?watch=true`],
    ["POST", CONFIG_MAPS, { metadata: { name: "late" } }],
    ["GET", "/readyz"],
    ["GET", "/apis"],
  ];
  for (const [method, path, sent] of requests) {
    const { status, body } = await api.send(method, path, sent);
    assertEquals([status, body.kind, body.reason], [503, "Status", "ServiceUnavailable"], `${method} ${path}`);
  }
});
