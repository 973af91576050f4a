import { FOREGROUND_DELETION_FINALIZER, groupResource, type KubeObject } from "../../api/mod.ts";
import type { DependentsFacts, ObjectFacts, OwnerFact } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { counted, kubectlName, nameIn, objectName, shortName, type Wording } from "./wording.ts";

/** What blocks the finalizer of a foreground deletion: dependents, each explained by `explain`. */
export function blockingDependents(
  { blocking, blockingCount, isPartial }: DependentsFacts,
  explain: (facts: ObjectFacts) => Finding,
): Finding[] {
  const more = blockingCount - blocking.length;
  return [
    ...blockingCount === 0
      ? [info("Dependents", `no dependent with blockOwnerDeletion ${isPartial ? "was found" : "is left"}`)]
      : [],
    ...blocking.map(explain),
    ...more > 0
      ? [{ code: "More", level: "blocks", message: `and ${counted(more, "more dependent")} that blocks it` } as const]
      : [],
    ...isPartial
      ? [info("More", "there are kinds with more objects than were read; dependents may be missing here")]
      : [],
  ];
}

/** What blocks the finalizer of an orphaning deletion: references that the garbage collector still has to remove. */
export function remainingReferences({ byKind }: DependentsFacts): Finding[] {
  if (byKind.length === 0) return [info("Dependents", "no object names it as its owner any more")];
  return byKind.map(({ resource, count }) => ({
    code: "Dependents",
    level: "passes",
    message: `${counted(count, "object")} of ${groupResource(resource)} still ${count === 1 ? "names" : "name"} it`,
  }));
}

/** Why an object that is not being deleted stays, or will be collected. */
export function ownerFindings(facts: ObjectFacts, wording: Wording): Finding[] {
  return facts.owners.map((owner) => ownerFinding(owner, facts, wording));
}

function ownerFinding({ reference, state }: OwnerFact, facts: ObjectFacts, wording: Wording): Finding {
  const owner = shortName(reference);
  switch (state.type) {
    case "present": {
      const object = objectName(state.resource, state.object);
      if (isWaiting(state.object)) {
        const message = `its owner ${nameIn(object, wording)} waits for it${collection(facts)}`;
        return { code: "Owner", level: "passes", message, object, waitsFor: "kube-controller-manager" };
      }
      const role = reference.controller ? "its controller, which makes another if it goes" : "its owner";
      return { code: "Owner", level: "info", message: `kept by ${nameIn(object, wording)}, ${role}`, object };
    }
    case "absent": {
      const message = `its owner ${owner} does not exist${collection(facts)}`;
      return { code: "OwnerAbsent", level: "passes", message, waitsFor: "kube-controller-manager" };
    }
    case "notServed":
      return untouchable(facts, {
        message: `its owner ${owner} is of a kind that the server does not have (${reference.apiVersion} ` +
          `${reference.kind}): as long as it names that one, the garbage collector never touches it`,
        text: `bring the kind ${reference.kind} of ${reference.apiVersion} back, or take the reference off`,
      });
    case "namespaced":
      return untouchable(facts, {
        message: `its owner ${owner} is in a namespace and it is not: the garbage collector never touches it`,
        text: "take off the reference to an owner in a namespace, which an object outside of all may not have",
      });
    case "unread":
      return info("Owner", `its owner ${owner} could not be read`);
  }
}

/** What the garbage collector does about an owner that keeps nothing, which depends on the other owners. */
function collection({ owners }: ObjectFacts): string {
  if (owners.some(({ state }) => ["namespaced", "notServed", "unread"].includes(state.type))) return "";
  const isKept = owners.some(({ state }) => state.type === "present" && !isWaiting(state.object));
  return `: the garbage collector is to ${isKept ? "take off the reference" : "delete it"}`;
}

function isWaiting({ metadata }: KubeObject): boolean {
  return Boolean(metadata?.deletionTimestamp && metadata.finalizers?.includes(FOREGROUND_DELETION_FINALIZER));
}

function untouchable(
  { resource, object }: ObjectFacts,
  { message, text }: { readonly message: string; readonly text: string },
): Finding {
  const name = kubectlName(resource, object);
  return {
    code: "OwnerNotServed",
    level: "blocks",
    message,
    advice: { key: `owner of ${name}`, text, command: `kubectl edit ${name}` },
  };
}

function info(code: Finding["code"], message: string): Finding {
  return { code, level: "info", message };
}
