import { assertEquals } from "@std/assert";
import { newControllerRef, type OwnerReference, PODS, STATEFULSETS } from "../../../../src/api/mod.ts";
import {
  deletesWhenScaled,
  hasConflict,
  isStaleForPod,
  ownersMatch,
  withOwners,
} from "../../../../src/controllers/statefulset/retention.ts";
import { claimOf, pod, statefulSet } from "./fixtures.ts";

type Policy = readonly [whenScaled: string, whenDeleted: string];

const setWith = ([whenScaled, whenDeleted]: Policy) =>
  statefulSet({ persistentVolumeClaimRetentionPolicy: { whenScaled, whenDeleted } });

const BY_SET = newControllerRef(statefulSet(), STATEFULSETS);
const byPod = (ordinal: number) => newControllerRef(pod(ordinal), PODS);
const FOREIGN: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "uid-x", controller: true };

/** Who is to own a claim: of a pod in range (1), and of one that is not (5). */
const WANTED: readonly { policy: Policy; inRange: "set" | "none"; condemned: "set" | "pod" | "none" }[] = [
  { policy: ["Retain", "Retain"], inRange: "none", condemned: "none" },
  { policy: ["Retain", "Delete"], inRange: "set", condemned: "set" },
  { policy: ["Delete", "Retain"], inRange: "none", condemned: "pod" },
  { policy: ["Delete", "Delete"], inRange: "set", condemned: "pod" },
  { policy: ["Sometimes", "Delete"], inRange: "none", condemned: "none" },
];

for (const { policy, ...wanted } of WANTED) {
  for (const [ordinal, owner] of [[1, wanted.inRange], [5, wanted.condemned]] as const) {
    Deno.test(`a claim of pod ${ordinal} of 3 is owned by ${owner} with the policy ${policy.join(" when scaled, ")} when deleted`, () => {
      const owners = { set: setWith(policy), pod: pod(ordinal) };
      const right = { set: [BY_SET], pod: [byPod(ordinal)], none: [] }[owner];
      const states = [[], [BY_SET], [byPod(ordinal)], [BY_SET, byPod(ordinal)]];
      for (const ownerReferences of states) {
        const claim = claimOf(ordinal, { ownerReferences });
        const isRight = ownerReferences.length === right.length &&
          ownerReferences.every(({ kind }, i) => kind === right[i].kind);
        assertEquals(ownersMatch(claim, owners), isRight);
        assertEquals(withOwners(claim, owners).metadata?.ownerReferences, right);
      }
    });
  }
}

Deno.test("ownersMatch() lets a claim be whose set or pod of that name is gone", () => {
  const policy = ["Delete", "Delete"] as const;
  for (const ordinal of [1, 5]) {
    const owners = { set: setWith(policy), pod: pod(ordinal) };
    for (const stale of [{ ...BY_SET, uid: "former" }, { ...byPod(ordinal), uid: "former" }]) {
      assertEquals(ownersMatch(claimOf(ordinal, { ownerReferences: [stale] }), owners), true);
      assertEquals(hasConflict(claimOf(ordinal, { ownerReferences: [stale] }), owners), true);
    }
  }
});

Deno.test("a claim with another controller loses our references, keeps the other, and gets none", () => {
  const owners = { set: setWith(["Delete", "Delete"]), pod: pod(1) };
  const conflict = claimOf(1, { ownerReferences: [FOREIGN, BY_SET] });
  assertEquals(hasConflict(conflict, owners), true);
  assertEquals(ownersMatch(conflict, owners), false);
  assertEquals(withOwners(conflict, owners).metadata?.ownerReferences, [FOREIGN]);
  assertEquals(ownersMatch(claimOf(1, { ownerReferences: [FOREIGN] }), owners), true, "then it is left alone");
});

Deno.test("another controller is not a conflict where claims are retained anyway", () => {
  const owners = { set: setWith(["Retain", "Retain"]), pod: pod(1) };
  assertEquals(hasConflict(claimOf(1, { ownerReferences: [FOREIGN] }), owners), false);
});

Deno.test("ownersMatch() objects to an owner of ours that is not a controller, and withOwners() makes it one", () => {
  const owners = { set: setWith(["Retain", "Delete"]), pod: pod(1) };
  const claim = claimOf(1, { ownerReferences: [{ ...BY_SET, controller: undefined }] });
  assertEquals(ownersMatch(claim, owners), false);
  assertEquals(withOwners(claim, owners).metadata?.ownerReferences, [BY_SET]);
});

Deno.test("withOwners() keeps owners that do not concern the set", () => {
  const owners = { set: setWith(["Retain", "Delete"]), pod: pod(1) };
  const other = { ...FOREIGN, controller: undefined };
  const claim = claimOf(1, { ownerReferences: [other] });
  assertEquals(withOwners(claim, owners).metadata?.ownerReferences, [other, BY_SET]);
});

Deno.test("a pod that is yet to be made makes the claims of its predecessor stale", () => {
  const claim = claimOf(1, { ownerReferences: [byPod(1)] });
  assertEquals(isStaleForPod(claim, pod(1)), false);
  assertEquals(isStaleForPod(claim, pod(1, { uid: undefined })), true);
  assertEquals(isStaleForPod(claimOf(1), pod(1, { uid: undefined })), false);
});

Deno.test("deletesWhenScaled() is what the policy says of scaling", () => {
  assertEquals(
    [["Retain", "Delete"], ["Delete", "Retain"]].map((policy) =>
      deletesWhenScaled(setWith(policy as unknown as Policy))
    ),
    [false, true],
  );
  assertEquals(deletesWhenScaled(statefulSet()), false);
});
