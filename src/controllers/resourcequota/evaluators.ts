import {
  type Amounts,
  type ExtendedDevices,
  podHoldsResources,
  type QuotaEvaluator,
  quotaEvaluator,
} from "../../rules/mod.ts";
import {
  CONFIGMAPS,
  groupResource,
  type KubeObject,
  type Pod,
  PODS,
  REPLICATIONCONTROLLERS,
  type Resource,
  resourceKey,
  RESOURCEQUOTAS,
  resourceText,
  SECRETS,
} from "../../api/mod.ts";
import type { ListerQuery } from "../../cache/mod.ts";
import { type Monitor, type MonitoredInformer } from "../monitors/mod.ts";
import { MEASURED_RESOURCES, measuredAs } from "./measured.ts";

/** A monitored informer whose objects can be listed. */
export interface ListedInformer extends MonitoredInformer {
  readonly lister: { list(query: ListerQuery): readonly KubeObject[] };
}

/** A kind that counts for quotas. */
export interface CountedKind {
  readonly evaluator: QuotaEvaluator;
  /**
   * The objects of a namespace.
   *
   * @throws {Error} If they are not known yet.
   */
  list(namespace: string): readonly KubeObject[];
}

interface Known extends CountedKind {
  readonly resource: Resource;
  monitor: Monitor<ListedInformer> | undefined;
  wasMonitored: boolean;
}

/** Kinds with their own rules or names; all others are known once they are served. */
const FROM_THE_START = [...MEASURED_RESOURCES, CONFIGMAPS, RESOURCEQUOTAS, REPLICATIONCONTROLLERS, SECRETS];

/**
 * How each kind counts for quotas, and where to find its objects.
 *
 * Contract:
 * 1. A known kind is never forgotten: names in quotas that it measures stay its own.
 * 2. Objects of a kind are listed from its present monitor, and not before that has synced: too low a usage lets
 *    objects in beyond the quota.
 * 3. A kind that is no longer served has no objects.
 */
export class Evaluators {
  readonly #known = new Map<string, Known>();
  readonly #devices: ExtendedDevices | undefined;

  constructor({ devices }: { readonly devices?: ExtendedDevices } = {}) {
    this.#devices = devices;
    for (const resource of FROM_THE_START) this.#add(resource);
  }

  /** Every kind known. */
  get all(): Iterable<CountedKind> {
    return this.#known.values();
  }

  /** Whether a kind measures a name in a quota's `hard`. */
  measures(name: string): boolean {
    for (const { evaluator } of this.#known.values()) if (evaluator.measures(name)) return true;
    return false;
  }

  /** How a resource in any version counts; `undefined` if it is unknown. */
  of(resource: Resource): QuotaEvaluator | undefined {
    return this.#known.get(groupResource(resource))?.evaluator;
  }

  /** Lists the objects of each kind from these monitors from now on. */
  listFrom(monitors: Iterable<Monitor<ListedInformer>>): void {
    for (const known of this.#known.values()) known.monitor = undefined;
    for (const monitor of monitors) {
      const known = this.#known.get(groupResource(monitor.resource)) ?? this.#add(monitor.resource);
      const measured = measuredAs(monitor.resource);
      // For a version other than the supported one, only metadata is available.
      if (measured && resourceKey(measured) !== resourceKey(monitor.resource)) continue;
      known.monitor = monitor;
      known.wasMonitored = true;
    }
  }

  #add(resource: Resource): Known {
    const evaluator = quotaEvaluator(resource, { devices: this.#devices });
    const known: Known = {
      resource,
      evaluator: groupResource(resource) === groupResource(PODS) ? rememberingPods(evaluator) : evaluator,
      list: (namespace) => listFrom(known, namespace),
      monitor: undefined,
      wasMonitored: false,
    };
    this.#known.set(groupResource(resource), known);
    return known;
  }
}

function listFrom({ resource, monitor, wasMonitored }: Known, namespace: string): readonly KubeObject[] {
  if (!monitor && wasMonitored) return [];
  if (monitor?.registration.hasSynced) return monitor.informer.lister.list({ namespace });
  throw new Error(`${resourceText(resource)} not yet synced`);
}

/**
 * Caches each pod's usage by its state: otherwise the same thousand pods would be evaluated again whenever one is
 * deleted. Only the end of a pod's grace period causes no new state.
 */
export function rememberingPods(pods: QuotaEvaluator): QuotaEvaluator {
  const known = new WeakMap<KubeObject, Amounts>();
  return {
    ...pods,
    usage(pod, nowMs) {
      // The evaluator of pods is only called with pods.
      if (!podHoldsResources(pod as Pod, nowMs)) return pods.usage(pod, nowMs);
      let usage = known.get(pod);
      if (!usage) known.set(pod, usage = pods.usage(pod, nowMs));
      return usage;
    },
  };
}
