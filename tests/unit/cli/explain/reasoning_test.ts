/** What is concluded from what was seen of an object: tables of facts and findings. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  CONFIGMAPS,
  CUSTOMRESOURCEDEFINITIONS,
  DEPLOYMENTS,
  type KubeObject,
  NAMESPACES,
  NODES,
  type OwnerReference,
  PODS,
  REPLICASETS,
  SECRETS,
} from "../../../../src/api/mod.ts";
import type { Details, OwnerState } from "../../../../src/cli/explain/facts.ts";
import { ASKED, codes, content, explainOf, type FactParts, facts, HOLD, messages } from "./fixtures.ts";

const deleting = { deletionTimestamp: ASKED };
const held = facts(CONFIGMAPS, "keep", { metadata: { ...deleting, finalizers: [HOLD] } });

function namespaceFacts(parts: FactParts & Partial<Extract<Details, { type: "namespace" }>> = {}) {
  const { contents = [], apiFailures = [], listFailures = [], namespace: given, ...rest } = parts;
  const namespace = { spec: { finalizers: ["kubernetes"] }, metadata: deleting, ...given };
  return facts(NAMESPACES, "shop", {
    object: namespace,
    details: { type: "namespace", namespace, contents, apiFailures, listFailures },
    ...rest,
  });
}

Deno.test("explainFacts: each finalizer is named once, with who removes it and what holds that", () => {
  const fieldsV1 = { "f:metadata": { "f:finalizers": { [`v:"${HOLD}"`]: {} } } };
  const { findings, nextSteps, state } = explainOf(facts(CONFIGMAPS, "x", {
    metadata: {
      ...deleting,
      finalizers: [HOLD, "service.kubernetes.io/load-balancer-cleanup", "external-attacher/disk"],
      managedFields: [{ manager: "operator", time: "2026-01-01T00:30:00Z", fieldsV1 }],
    },
  }));
  assertEquals(state, { type: "deleting", since: ASKED, forMs: 600_000 });
  assertEquals(codes(findings), ["UnknownFinalizer blocks", "Finalizer blocks", "Finalizer blocks"]);
  assertEquals(findings.map(({ waitsFor }) => waitsFor), [undefined, "cloud-controller-manager", "add-on"]);
  assertEquals(
    findings[0].message,
    "finalizer example.com/hold: no built-in controller removes it, whoever uses it must; " +
      "written by operator, last 30m ago (2026-01-01T00:30:00Z)",
  );
  assertEquals(nextSteps.length, 3);
  assertStringIncludes(nextSteps[0].command!, '"path":"/metadata/finalizers/0","value":"example.com/hold"');
  assertStringIncludes(nextSteps[1].text, "look whether the cloud-controller-manager runs with service-lb-controller");
});

Deno.test("explainFacts: it depends on the facts and the time alone", () => {
  const frozen = <T>(value: T): T => {
    if (typeof value === "object" && value !== null && !(value instanceof Map) && !(value instanceof Set)) {
      for (const part of Object.values(value)) frozen(part);
    }
    return Object.freeze(value);
  };
  const target = () =>
    namespaceFacts({
      metadata: { ...deleting, finalizers: [HOLD] },
      contents: [content(CONFIGMAPS, 3, { deleting: 1, finalizers: [[HOLD, 2]] })],
    });
  const wanted = explainOf(target());
  const forbidden = () => {
    throw new Error("not a fact");
  };
  const { Date: date, performance: clock } = globalThis;
  const { random } = Math;
  class DateWithoutNow extends Date {
    constructor(...parts: unknown[]) {
      if (parts.length === 0) forbidden();
      super(...parts as [number]);
    }
    static override now = forbidden;
  }
  try {
    Math.random = forbidden;
    Object.assign(globalThis, { Date: DateWithoutNow, performance: { now: forbidden } });
    assertEquals(explainOf(frozen(target())), wanted);
    assertEquals(explainOf(frozen(target())), wanted, "a second time");
  } finally {
    Object.assign(globalThis, { Date: date, performance: clock });
    Math.random = random;
  }
});

Deno.test("explainFacts counts from when the deletion was asked for, not from the end of the grace period", () => {
  const { state } = explainOf(facts(PODS, "x", {
    metadata: { deletionTimestamp: "2026-01-01T01:00:20Z", deletionGracePeriodSeconds: 30, finalizers: [HOLD] },
  }));
  assertEquals(state, { type: "deleting", since: "2026-01-01T00:59:50Z", forMs: 10_000 });
});

Deno.test("explainFacts says of an object without anything to wait for that it goes at any moment", () => {
  const { findings, nextSteps } = explainOf(facts(CONFIGMAPS, "x", { metadata: deleting }));
  assertEquals(codes(findings), ["NothingLeft passes"]);
  assertStringIncludes(nextSteps[0].text, "wait and ask again");
});

Deno.test("explainFacts says of a namespace what remains and what cannot be asked", () => {
  const apiFailures = [
    { groupVersion: "metrics.k8s.io/v1beta1", error: "stale" },
    {
      groupVersion: "a.io/v1",
      apiService: { name: "v1.a.io", service: "x/y", reason: "NoEndpoints", message: "none" },
    },
  ];
  const cases: [name: string, target: ReturnType<typeof facts>, expected: unknown[]][] = [
    ["nothing", namespaceFacts(), ["NothingLeft info"]],
    [
      "one held object",
      namespaceFacts({
        contents: [content(CONFIGMAPS, 1, { deleting: 1, finalizers: [[HOLD, 1]], samples: [held] })],
      }),
      [["RemainingContent blocks", [
        ["RemainingKind blocks", [["Object passes", ["UnknownFinalizer blocks"]]]],
      ]]],
    ],
    [
      "pods and others",
      namespaceFacts({ contents: [content(PODS, 2, { deleting: 2 }), content(SECRETS, 3)] }),
      [["RemainingContent blocks", ["PodsFirst info", "RemainingKind passes", "RemainingKind passes"]]],
    ],
    ["APIs", namespaceFacts({ apiFailures }), ["ApiFailure blocks", ["ApiFailure blocks", ["ApiFailure blocks"]]]],
    [
      "a list that fails",
      namespaceFacts({ listFailures: [{ resource: SECRETS, error: "conversion webhook failed" }] }),
      ["ListFailure blocks"],
    ],
  ];
  for (const [name, target, expected] of cases) {
    assertEquals(codes(explainOf(target).findings), [["Finalizer blocks", expected]], name);
  }
  const said = messages(explainOf(namespaceFacts({ apiFailures })).findings);
  assertStringIncludes(said[1], "API metrics.k8s.io/v1beta1 cannot be asked what it has: stale");
  assertStringIncludes(said[3], "v1.a.io for service x/y is not available: NoEndpoints: none");
});

Deno.test("explainFacts counts what it did not look at", () => {
  const contents = [
    content(CONFIGMAPS, 1200, { lookedAt: 500, deleting: 500, finalizers: [[HOLD, 500]], samples: [held] }),
    content(SECRETS, 500, { isAtLeast: true }),
  ];
  const said = messages(explainOf(namespaceFacts({ contents })).findings);
  assertEquals(said.filter((text) => /^(at least|configmaps|secrets|and)/.test(text)), [
    "at least 1700 objects of 2 kinds remain",
    "configmaps: 1200; being deleted; finalizers: example.com/hold on 500 (of the first 500)",
    "and 499 more like that",
    "secrets: at least 500; none being deleted yet",
  ]);
});

Deno.test("explainFacts passes on a namespace's condition where nothing was seen of the failure", () => {
  const conditions = [
    { type: "NamespaceDeletionContentFailure", status: "True", reason: "ContentDeletionFailed", message: "refused" },
    { type: "NamespaceContentRemaining", status: "True", reason: "SomeResourcesRemain", message: "of another time" },
    { type: "NamespaceDeletionDiscoveryFailure", status: "False" },
  ];
  const namespace = { metadata: deleting, spec: { finalizers: ["kubernetes"] }, status: { conditions } };
  const said = explainOf(namespaceFacts({ namespace })).findings;
  assertEquals(codes(said), [["Finalizer blocks", ["NothingLeft info", "NamespaceCondition blocks"]]]);
});

Deno.test("explainFacts tells a finalizer in a namespace's spec from one in its metadata", () => {
  const namespace = { metadata: { ...deleting, finalizers: [HOLD] }, spec: { finalizers: ["example.com/other"] } };
  const { findings, nextSteps } = explainOf(namespaceFacts({ namespace }));
  assertEquals(codes(findings), ["NamespaceFinalizer blocks", "UnknownFinalizer blocks"]);
  assertStringIncludes(nextSteps[0].command!, "kubectl replace --raw /api/v1/namespaces/shop/finalize");
});

Deno.test("explainFacts follows a foreground deletion down to what holds it, and ends where it comes round", () => {
  const metadata = { ...deleting, finalizers: ["foregroundDeletion"] };
  const pod = facts(PODS, "p", { metadata: { ...deleting, finalizers: [HOLD] } });
  const circle = facts(DEPLOYMENTS, "web", { metadata, cut: "cycle" });
  const set = facts(REPLICASETS, "rs", {
    metadata,
    dependents: { blocking: [pod, circle], blockingCount: 5, byKind: [], isPartial: true },
  });
  const { findings, nextSteps } = explainOf(facts(DEPLOYMENTS, "web", {
    metadata,
    dependents: { blocking: [set], blockingCount: 1, byKind: [], isPartial: false },
  }));
  assertEquals(codes(findings), [["Finalizer blocks", [["Object passes", [["Finalizer blocks", [
    ["Object passes", ["UnknownFinalizer blocks"]],
    "Cycle passes",
    "More blocks",
    "More info",
  ]]]]]]]);
  assertEquals(nextSteps.map(({ command }) => command?.split(" ")[2]), ["pods/p"], "the root of it, and no manager");
});

Deno.test("explainFacts expects the garbage collector to act where no dependent is left", () => {
  const dependents = { blocking: [], blockingCount: 0, byKind: [], isPartial: false };
  for (const finalizer of ["foregroundDeletion", "orphan"]) {
    const metadata = { ...deleting, finalizers: [finalizer] };
    const { findings, nextSteps } = explainOf(facts(DEPLOYMENTS, "web", { metadata, dependents }));
    assertEquals(codes(findings), [["Finalizer blocks", ["Dependents info"]]]);
    assertStringIncludes(nextSteps[0].text, "kube-controller-manager runs with garbage-collector-controller");
  }
  const orphans = { ...dependents, byKind: [{ resource: PODS, count: 2 }] };
  const metadata = { ...deleting, finalizers: ["orphan"] };
  assertEquals(
    messages(explainOf(facts(DEPLOYMENTS, "web", { metadata, dependents: orphans })).findings)[1],
    "2 objects of pods still name it",
  );
});

Deno.test("explainFacts says of a custom kind which objects remain", () => {
  const definition = {
    metadata: { ...deleting, finalizers: ["customresourcecleanup.apiextensions.k8s.io"] },
    spec: { group: "a.io", names: { plural: "foos", kind: "Foo" }, scope: "Namespaced", versions: [] },
  };
  const of = (details: Partial<Extract<Details, { type: "definition" }>>) =>
    codes(
      explainOf(facts(CUSTOMRESOURCEDEFINITIONS, "foos.a.io", {
        object: definition,
        details: { type: "definition", definition, contents: [], listFailures: [], ...details },
      })).findings,
    );
  assertEquals(of({}), [["Finalizer blocks", ["NothingLeft info"]]]);
  const remaining = ["RemainingContent blocks", ["RemainingKind passes"]];
  assertEquals(of({ contents: [content(CONFIGMAPS, 1)] }), [["Finalizer blocks", [remaining]]]);
  const failing = ["ListFailure blocks"];
  assertEquals(of({ listFailures: [{ resource: SECRETS, error: "x" }] }), [["Finalizer blocks", failing]]);
});

Deno.test("explainFacts says of an object in use what keeps it, what is to delete it and what never will", () => {
  const reference: OwnerReference = {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    name: "rs",
    uid: "u",
    controller: true,
  };
  const present = (metadata: KubeObject["metadata"]): OwnerState => ({
    type: "present",
    resource: REPLICASETS,
    object: { metadata: { name: "rs", namespace: "shop", uid: "u", ...metadata } },
  });
  const cases: [state: OwnerState, code: string, text: string][] = [
    [present({}), "Owner info", "kept by replicaset.apps/rs, its controller, which makes another if it goes"],
    [
      present({ ...deleting, finalizers: ["foregroundDeletion"] }),
      "Owner passes",
      "its owner replicaset.apps/rs waits for it: the garbage collector is to delete it",
    ],
    [
      { type: "absent" },
      "OwnerAbsent passes",
      "its owner replicaset.apps/rs does not exist: the garbage collector is to delete it",
    ],
    [
      { type: "notServed" },
      "OwnerNotServed blocks",
      "its owner replicaset.apps/rs is of a kind that the server does not",
    ],
    [{ type: "namespaced" }, "OwnerNotServed blocks", "its owner replicaset.apps/rs is in a namespace and it is not"],
    [{ type: "unread" }, "Owner info", "its owner replicaset.apps/rs could not be read"],
  ];
  for (const [state, code, text] of cases) {
    const { findings, nextSteps, ...rest } = explainOf(facts(PODS, "p", { owners: [{ reference, state }] }));
    assertEquals([codes(findings), rest.state, nextSteps], [[code], { type: "present" }, []]);
    assertStringIncludes(findings[0].message, text);
  }
});

Deno.test("explainFacts: what becomes of an object whose owner is gone depends on its other owners", () => {
  const reference: OwnerReference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "rs", uid: "u" };
  const solid: OwnerState = { type: "present", resource: REPLICASETS, object: { metadata: { name: "rs" } } };
  const cases: [other: OwnerState, text: string][] = [
    [{ type: "absent" }, ": the garbage collector is to delete it"],
    [solid, ": the garbage collector is to take off the reference"],
    [{ type: "notServed" }, ""],
    [{ type: "unread" }, ""],
  ];
  for (const [other, text] of cases) {
    const owners = [{ reference, state: { type: "absent" } as const }, { reference, state: other }];
    const { findings } = explainOf(facts(PODS, "p", { owners }));
    assertEquals(findings[0].message, `its owner replicaset.apps/rs does not exist${text}`);
  }
});

Deno.test("explainFacts says of an object in use what would go with it, and that its namespace goes", () => {
  const dependents = { blocking: [], blockingCount: 0, byKind: [{ resource: PODS, count: 2 }], isPartial: false };
  const { findings } = explainOf(facts(REPLICASETS, "rs", { dependents }), { namespaceDeletingSince: ASKED });
  assertEquals(codes(findings), ["NamespaceDeleted passes", "Dependents info"]);
  assertEquals(findings[1].message, "owns pods (2), which would go with it");
  assertEquals(explainOf(facts(NODES, "n")).findings, []);
});

Deno.test("explainFacts says that no manager leads, where something waits for one", () => {
  const expired = { type: "expired", holder: "old", renewTime: "2026-01-01T00:00:00.000000Z" } as const;
  const waiting = facts(DEPLOYMENTS, "web", { metadata: { ...deleting, finalizers: ["orphan"] } });
  const { findings, nextSteps } = explainOf(waiting, { manager: expired });
  assertEquals(codes(findings), ["ManagerAbsent blocks", "Finalizer blocks"]);
  assertStringIncludes(findings[0].message, "no kube-controller-manager leads: old renewed its Lease last 60m ago");
  assertStringIncludes(nextSteps[0].text, "start a kube-controller-manager");
  assertEquals(codes(explainOf(waiting, { manager: { type: "noLease" } }).findings)[0], "ManagerAbsent info");
  assertEquals(codes(explainOf(waiting, { manager: { type: "unread" } }).findings), ["Finalizer blocks"]);
  assertEquals(codes(explainOf(held, { manager: expired }).findings), ["UnknownFinalizer blocks"]);
});

Deno.test("explainFacts gives advice that holds for several objects once", () => {
  const other = facts(CONFIGMAPS, "other", { metadata: { ...deleting, finalizers: [HOLD] } });
  const samples = [held, other];
  const contents = [content(CONFIGMAPS, 2, { deleting: 2, finalizers: [[HOLD, 2]], samples })];
  const { nextSteps } = explainOf(namespaceFacts({ contents }));
  assertEquals(nextSteps.length, 1);
  assertStringIncludes(nextSteps[0].text, "(also for 1 more above)");
});
