import { assertEquals } from "@std/assert";
import {
  annotationsOfRollback,
  currentAnnotations,
  replicasAnnotations,
  replicasAnnotationsNeedUpdate,
} from "../../../../src/controllers/deployment/annotations.ts";
import { deployment, DESIRED, HISTORY, MAX, replicaSet, REVISION, ROLLBACK } from "./fixtures.ts";

const APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const OWN = { [APPLIED]: "{}", [REVISION]: "9", [HISTORY]: "8", [DESIRED]: "7", [MAX]: "6", [ROLLBACK]: "5" };

const CASES: {
  name: string;
  from?: Record<string, string>;
  existing?: Record<string, string>;
  revision?: bigint;
  after: Record<string, string>;
  isChanged: boolean;
}[] = [
  { name: "sets the revision of a new ReplicaSet", after: { [REVISION]: "3" }, isChanged: true },
  {
    name: "copies what is missing or different, and removes nothing",
    from: { a: "1", b: "2" },
    existing: { b: "0", c: "3", [REVISION]: "3" },
    after: { a: "1", b: "2", c: "3", [REVISION]: "3" },
    isChanged: true,
  },
  {
    name: "copies none of the annotations of one object",
    from: OWN,
    existing: { [REVISION]: "3" },
    after: { [REVISION]: "3" },
    isChanged: false,
  },
  { name: "never lowers the revision", existing: { [REVISION]: "4" }, after: { [REVISION]: "4" }, isChanged: false },
  {
    name: "keeps the revision it had as history",
    existing: { [REVISION]: "1" },
    after: { [REVISION]: "3", [HISTORY]: "1" },
    isChanged: true,
  },
  {
    name: "appends to the history",
    existing: { [REVISION]: "2", [HISTORY]: "1" },
    after: { [REVISION]: "3", [HISTORY]: "1,2" },
    isChanged: true,
  },
  {
    name: "sets no revision that wrapped",
    revision: -9223372036854775808n,
    after: {},
    isChanged: false,
  },
  {
    name: "changes nothing beside a revision that does not fit into 64 bits",
    existing: { [REVISION]: "9223372036854775808" },
    after: { [REVISION]: "9223372036854775808" },
    isChanged: false,
  },
  {
    name: "changes nothing beside a revision that is no number",
    from: { a: "1" },
    existing: { [REVISION]: "x" },
    after: { a: "1", [REVISION]: "x" },
    isChanged: false,
  },
];
for (const { name, from, existing, revision = 3n, after, isChanged } of CASES) {
  Deno.test(`currentAnnotations() ${name}`, () => {
    assertEquals(currentAnnotations(deployment({ annotations: from }), existing, revision), {
      annotations: after,
      isChanged,
    });
  });
}

Deno.test("currentAnnotations() drops the oldest entries of a history that gets too long", () => {
  const history = (count: number) => Array.from({ length: count }, (_, i) => String(1000 + i));
  const update = (entries: string[], old: string) => {
    const existing = { [REVISION]: old, [HISTORY]: entries.join(",") };
    return currentAnnotations(deployment(), existing, 10n ** 9n).annotations[HISTORY];
  };
  assertEquals(
    update(history(399), "2222"),
    [...history(399), "2222"].join(","),
    "1994 characters and 5 more are fine",
  );
  assertEquals(update(history(400), "2222"), [...history(400).slice(1), "2222"].join(","));
  assertEquals(update(history(400), "222222"), [...history(400).slice(2), "222222"].join(","));
  const tooLong = "0".repeat(2001);
  assertEquals(update(["1"], tooLong), "1", "an entry that fits in no way is left out");
});

Deno.test("replicasAnnotations() tell the size and the largest size", () => {
  const wanted = deployment({ replicas: 10, maxSurge: "25%" });
  assertEquals(replicasAnnotations(wanted), { [DESIRED]: "10", [MAX]: "13" });
  assertEquals(replicasAnnotationsNeedUpdate(wanted, replicaSet("r", 1, { desired: 10, max: 13 })), false);
  assertEquals(replicasAnnotationsNeedUpdate(wanted, replicaSet("r", 1, { desired: 10, max: 12 })), true);
  assertEquals(replicasAnnotationsNeedUpdate(wanted, replicaSet("r", 1, { desired: 10 })), true);
});

Deno.test("annotationsOfRollback() keeps the Deployment's own annotations and takes the others from the ReplicaSet", () => {
  const rolledBack = annotationsOfRollback(
    deployment({ annotations: { ...OWN, gone: "1", both: "1" } }),
    replicaSet("r", 0, { annotations: { [REVISION]: "1", both: "2", back: "1" } }),
  );
  assertEquals(rolledBack, { ...OWN, both: "2", back: "1" });
});
