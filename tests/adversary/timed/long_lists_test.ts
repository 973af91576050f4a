/**
 * A tenant sends the embedded server lists as long as a body may be. What took time by the square of their length:
 *
 * | list                                                     | took, in s | what bounds it now                 |
 * | -------------------------------------------------------- | ---------- | ---------------------------------- |
 * | 30,000 owners of a ConfigMap                             | 42         | equal ones are found by their text |
 * | 32,000 scopes of a quota, none of which exists           | 17         | errors write the list out once     |
 * | 200,000 topology keys of a driver                        | 27         | repetitions are found in one pass  |
 * | 60,000 tolerations of a pod with a runtime class         | 310        | they are compared by their kinds   |
 * | 120,000 usages, 150,000 versions, 150,000 exit codes     | 9 to 13    | the same                           |
 */
import { assert, assertEquals, assertLess } from "@std/assert";
import { readyHarness } from "../../unit/sandbox/apiserver/admission/fixtures.ts";
import type { Loose } from "../../unit/sandbox/apiserver/harness.ts";
import { threadMs } from "./thread_time.ts";

const BOUND_MS = 5000;

const many = <T>(count: number, item: (i: number) => T) => Array.from({ length: count }, (_, i) => item(i));
const word = (i: number) => `k${i}`;

interface Case {
  readonly what: string;
  /** Must be there before. */
  readonly first?: readonly [path: string, body: object];
  readonly path: string;
  readonly body: () => object;
  readonly status: number;
}

const CASES: readonly Case[] = [
  {
    what: "owners",
    path: "/api/v1/namespaces/default/configmaps",
    body: () => ({
      metadata: {
        name: "a",
        ownerReferences: many(30_000, (i) => ({ apiVersion: "v1", kind: "A", name: "a", uid: word(i) })),
      },
    }),
    status: 201,
  },
  {
    what: "scopes",
    path: "/api/v1/namespaces/default/resourcequotas",
    body: () => ({ metadata: { name: "a" }, spec: { scopes: many(32_000, word) } }),
    status: 422,
  },
  {
    what: "topology keys",
    path: "/apis/storage.k8s.io/v1/csinodes",
    body: () => ({
      metadata: { name: "a" },
      spec: { drivers: [{ name: "d", nodeID: "n", topologyKeys: many(200_000, word) }] },
    }),
    status: 201,
  },
  {
    what: "tolerations",
    first: ["/apis/node.k8s.io/v1/runtimeclasses", {
      metadata: { name: "a" },
      handler: "a",
      scheduling: { tolerations: [{ key: "a", operator: "Exists" }] },
    }],
    path: "/api/v1/namespaces/default/pods",
    body: () => ({
      metadata: { name: "a" },
      spec: {
        runtimeClassName: "a",
        containers: [{ name: "a", image: "a" }],
        tolerations: many(60_000, (i) => ({ key: word(i), operator: "Exists" })),
      },
    }),
    status: 201,
  },
  {
    what: "usages",
    path: "/apis/certificates.k8s.io/v1/certificatesigningrequests",
    body: () => ({ metadata: { name: "a" }, spec: { signerName: "a/b", request: "", usages: many(120_000, word) } }),
    status: 422,
  },
  {
    what: "versions of reviews",
    path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
    body: () => ({
      metadata: { name: "a" },
      webhooks: [{ name: "a.b.c", admissionReviewVersions: many(150_000, word) }],
    }),
    status: 422,
  },
  {
    what: "exit codes",
    path: "/apis/batch/v1/namespaces/default/jobs",
    body: () => {
      const onExitCodes = { operator: "In", values: many(150_000, (i) => i + 1) };
      return { metadata: { name: "a" }, spec: { podFailurePolicy: { rules: [{ action: "Ignore", onExitCodes }] } } };
    },
    status: 422,
  },
];

for (const { what, first, path, body, status } of CASES) {
  Deno.test(`a long list of ${what} takes the embedded server time by its length alone`, async () => {
    using api = await readyHarness();
    if (first) assertEquals((await api.post(...first)).status, 201);
    const sent = body();
    const { length } = JSON.stringify(sent);
    assert(length < 3 * 1024 * 1024, "longer than any body may be");
    const startMs = threadMs();
    const answer: Loose = await api.post(path, sent);
    assertLess(threadMs() - startMs, BOUND_MS);
    assertEquals(answer.status, status, answer.body.message?.slice(0, 300));
    assertLess(JSON.stringify(answer.body).length, 2 * length, "the answer is not much longer");
  });
}
