import { FOREGROUND_DELETION_FINALIZER, groupResource, ORPHAN_FINALIZER, parseTime } from "../../api/mod.ts";
import { definitionContents, namespaceContents } from "./about_contents.ts";
import { finalizerFinding } from "./about_finalizers.ts";
import { blockingDependents, ownerFindings, remainingReferences } from "./about_owners.ts";
import { podFindings } from "./about_pod.ts";
import { claimUsers, volumeAttachments, volumeBinding } from "./about_storage.ts";
import type { Cut, ManagerFact, ObjectFacts, Observation } from "./facts.ts";
import type { DeletionState, Explanation, Finding } from "./finding.ts";
import { nextSteps } from "./next_steps.ts";
import { agoText, deletionAsked, nameIn, objectName, shortName, type Wording } from "./wording.ts";

/**
 * Explains from the facts why an object still exists.
 *
 * Contract:
 * 1. It depends on the facts and the time alone.
 * 2. Each finalizer is named once, with who removes it and what holds that.
 * 3. An object that is not being deleted is explained by what would block its deletion and what owns it.
 */
export function explainFacts(observation: Observation, nowMs: number): Explanation {
  const { target, unread, manager } = observation;
  const { metadata } = target.object;
  const isNamespace = target.details.type === "namespace";
  const wording = { nowMs, namespace: isNamespace ? metadata?.name : metadata?.namespace };
  const asked = deletionAsked(target.object);
  const state: DeletionState = asked === undefined
    ? { type: "present" }
    : { type: "deleting", since: asked, forMs: Math.max(0, nowMs - parseTime(asked)) };
  const findings = [
    ...surroundings(observation, wording),
    ...new Reasoner(wording).about(target, { isTarget: true }),
  ];
  const whole = [...managerFindings(manager, { findings, state, wording }), ...findings];
  const object = objectName(target.resource, target.object);
  return {
    object,
    title: shortName(object),
    state,
    findings: whole,
    unread,
    nextSteps: state.type === "deleting" ? nextSteps(whole) : [],
  };
}

function surroundings({ target, namespaceDeletingSince }: Observation, wording: Wording): Finding[] {
  if (!namespaceDeletingSince || target.object.metadata?.deletionTimestamp) return [];
  const { namespace } = target.object.metadata ?? {};
  return [{
    code: "NamespaceDeleted",
    level: "passes",
    message: `its namespace ${namespace} is being deleted, asked for ${agoText(namespaceDeletingSince, wording)}: ` +
      "namespace-controller (kube-controller-manager) deletes it, after the pods",
    waitsFor: "kube-controller-manager",
  }];
}

/** Reports that no manager may be running to do the work. */
function managerFindings(
  manager: ManagerFact,
  { findings, state, wording }: {
    readonly findings: readonly Finding[];
    readonly state: DeletionState;
    readonly wording: Wording;
  },
): Finding[] {
  if (state.type === "present" || manager.type === "leads" || manager.type === "unread") return [];
  if (!waitsForManager(findings)) return [];
  if (manager.type === "noLease") {
    const message = "no kube-controller-manager holds the Lease kube-system/kube-controller-manager; " +
      "one that runs without leader election does not need it";
    return [{ code: "ManagerAbsent", level: "info", message }];
  }
  return [{
    code: "ManagerAbsent",
    level: "blocks",
    message: `no kube-controller-manager leads: ${manager.holder} renewed its Lease last ` +
      agoText(manager.renewTime, wording),
    advice: { key: "manager", text: "start a kube-controller-manager: nobody does the work of its controllers" },
  }];
}

function waitsForManager(findings: readonly Finding[]): boolean {
  return findings.some(({ waitsFor, causes = [] }) =>
    waitsFor === "kube-controller-manager" || waitsForManager(causes)
  );
}

class Reasoner {
  readonly #wording: Wording;

  constructor(wording: Wording) {
    this.#wording = wording;
  }

  /** What blocks one object. */
  about(facts: ObjectFacts, { isTarget = false } = {}): Finding[] {
    const { metadata } = facts.object;
    const isDeleting = metadata?.deletionTimestamp !== undefined;
    const { details } = facts;
    const findings = [
      ...this.#namespaceFinalizers(facts),
      ...details.type === "pod" ? podFindings(facts, details, this.#wording) : [],
      ...(metadata?.finalizers ?? []).map((finalizer) => this.#finalizer(finalizer, facts)),
      ...isDeleting ? [] : ownerFindings(facts, this.#wording),
      ...isTarget && !isDeleting ? ownedFindings(facts) : [],
    ];
    if (isDeleting && findings.length === 0 && !facts.cut) {
      return [{ code: "NothingLeft", level: "passes", message: "nothing is left to wait for: it goes at any moment" }];
    }
    return findings;
  }

  /** An object that another one waits for. */
  readonly object = (facts: ObjectFacts): Finding => {
    const object = objectName(facts.resource, facts.object);
    const asked = deletionAsked(facts.object);
    const going = asked ? `deletion asked for ${agoText(asked, this.#wording)}` : "not being deleted";
    const again = facts.cut ? `; ${CUTS[facts.cut]}` : "";
    return {
      code: facts.cut === "cycle" ? "Cycle" : "Object",
      level: asked ? "passes" : "blocks",
      message: `${nameIn(object, this.#wording)}: ${going}${again}`,
      object,
      causes: facts.cut ? [] : this.about(facts),
    };
  };

  #finalizer(finalizer: string, facts: ObjectFacts): Finding {
    return finalizerFinding(finalizer, { facts, causes: this.#causes(finalizer, facts), wording: this.#wording });
  }

  /** What blocks a known finalizer; `undefined` if the facts do not show it. */
  #causes(finalizer: string, facts: ObjectFacts): readonly Finding[] | undefined {
    const { details, dependents } = facts;
    if (finalizer === FOREGROUND_DELETION_FINALIZER) {
      return dependents && blockingDependents(dependents, this.object);
    }
    if (finalizer === ORPHAN_FINALIZER) return dependents && remainingReferences(dependents);
    if (details.type === "claim" && finalizer === "kubernetes.io/pvc-protection") {
      return claimUsers(details, this.object);
    }
    if (details.type === "volume" && finalizer === "kubernetes.io/pv-protection") {
      return volumeBinding(details, this.object);
    }
    if (details.type === "volume" && finalizer.startsWith("external-attacher/")) {
      return volumeAttachments(details, this.object);
    }
    if (details.type === "definition" && finalizer === "customresourcecleanup.apiextensions.k8s.io") {
      return definitionContents(details, this.object);
    }
    return undefined;
  }

  /** A namespace has a second list of finalizers, in its spec. */
  #namespaceFinalizers(facts: ObjectFacts): Finding[] {
    const { details } = facts;
    if (details.type !== "namespace") return [];
    const contents = namespaceContents(details, this.object);
    return (details.namespace.spec?.finalizers ?? []).map((finalizer) =>
      finalizer === "kubernetes"
        ? finalizerFinding(finalizer, { facts, causes: contents, wording: this.#wording })
        : unknownInSpec(finalizer, facts)
    );
  }
}

const CUTS: Readonly<Record<Cut, string>> = {
  cycle: "it waits in turn for what is above: a circle, which the garbage collector breaks by itself",
  seen: "explained elsewhere in this answer",
  limit: "not examined further; explain it separately",
};

function unknownInSpec(finalizer: string, { object }: ObjectFacts): Finding {
  const name = object.metadata?.name;
  return {
    code: "NamespaceFinalizer",
    level: "blocks",
    message: `${finalizer} in spec.finalizers: no built-in controller removes it, whoever uses it must`,
    advice: {
      key: `finalizer ${finalizer}`,
      text:
        `get the program that uses ${finalizer} to run and to finish; only if it is gone for good, take it off by hand`,
      command: `kubectl get namespace ${name} -o json | jq '.spec.finalizers -= [${JSON.stringify(finalizer)}]' | ` +
        `kubectl replace --raw /api/v1/namespaces/${name}/finalize -f -`,
    },
  };
}

/** What would be deleted with an object that is in use. */
function ownedFindings({ dependents }: ObjectFacts): Finding[] {
  if (!dependents || dependents.byKind.length === 0) return [];
  const kinds = dependents.byKind.map(({ resource, count }) => `${groupResource(resource)} (${count})`);
  return [{ code: "Dependents", level: "info", message: `owns ${kinds.join(", ")}, which would go with it` }];
}
