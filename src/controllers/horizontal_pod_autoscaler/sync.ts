import { errorText } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { type Decision, referenceOf, rescale, tryToWriteStatus, writeStatus } from "./actions.ts";
import type { Autoscaler, AutoscalerContext, SyncState } from "./context.ts";
import { ProposalError, SpecError, TargetError } from "./errors.ts";
import { type Action, actionOf } from "./metrics.ts";
import { type Proposal, propose } from "./proposal.ts";
import { newHistory, type NormalizationContext, normalize, rememberScaling } from "./scaling/mod.ts";
import { StatusDraft } from "./status.ts";
import type { Target } from "./target.ts";

const MIN_REPLICAS = 1;

/** The decision about the number of replicas before any metric is evaluated. */
export type Precheck =
  /** The target was switched off. */
  | { readonly kind: "disabled" }
  /** It is out of range. */
  | { readonly kind: "out-of-range"; readonly desired: number; readonly reason: string }
  /** The metrics decide. */
  | { readonly kind: "metrics" };

/** The inputs that decide whether metrics are evaluated. */
export interface PrecheckInput {
  readonly current: number;
  readonly min: number;
  readonly max: number;
  /** Whether the autoscaler itself scaled to zero. */
  readonly isScaledToZero: boolean;
  /** Whether a metric works without pods. */
  readonly hasMetricWithoutPods: boolean;
}

const BELOW_MINIMUM = "Current number of replicas below Spec.MinReplicas";
const ABOVE_MAXIMUM = "Current number of replicas above Spec.MaxReplicas";

/**
 * Compares a target's replicas with what its metrics call for, and scales it if necessary. Repeats after each sync
 * period.
 * Upstream: `pkg/controller/podautoscaler/horizontal.go` (reconcileKey, reconcileAutoscaler).
 *
 * @param key `namespace/name`.
 * @throws {Error} If something could not be found out or done; the key is tried again after a sync period like any
 *   other.
 */
export async function syncAutoscaler(key: string, context: AutoscalerContext, signal?: AbortSignal): Promise<void> {
  const { world: { clock, log }, autoscalers, histories, metrics, queue } = context;
  const autoscaler = byKey(autoscalers, key);
  if (!autoscaler) {
    log.info("Horizontal Pod Autoscaler has been deleted", { HPA: key });
    histories.delete(key);
    return;
  }
  const startedMs = clock.monotonicMs();
  let action: Action = "none";
  try {
    const draft = new StatusDraft(autoscaler, clock);
    await reconcile({ ...context, key, autoscaler, draft, signal }, (done) => void (action = done));
    metrics.reconciled(action, "none", clock.monotonicMs() - startedMs);
  } catch (error) {
    const isSpec = error instanceof SpecError || error instanceof TargetError && error.isSpec;
    metrics.reconciled(action, isSpec ? "spec" : "internal", clock.monotonicMs() - startedMs);
    throw error;
  }
  queue.addRateLimited(key, "sync period");
}

async function reconcile(state: SyncState, onScaled: (action: Action) => void): Promise<void> {
  const { autoscaler, draft, metrics } = state;
  const target = await readTarget(state);
  const { specReplicas: current } = target.scale;
  const decision = await decide(target, state);
  const { desired, partialError } = decision;
  const isRescaled = desired !== current;
  if (isRescaled) {
    await rescale(target, decision, state);
    rememberScaling({ from: current, to: desired }, autoscaler.spec.behavior, pastOf(state));
    sayScaledToZero(current, desired, state);
    onScaled(actionOf(current, desired));
  }
  draft.count({ current, desired, metrics: decision.metrics, isRescaled });
  const { namespace = "", name = "" } = autoscaler.metadata ?? {};
  metrics.desires(namespace, name, desired);
  await writeStatus(state);
  if (partialError) throw partialError;
}

async function readTarget(state: SyncState): Promise<Target> {
  const { world: { clock }, autoscaler: { metadata, spec }, draft, histories, key, scales } = state;
  try {
    const target = await scales.read(metadata?.namespace ?? "", spec.scaleTargetRef);
    const message = "the HPA controller was able to get the target's current scale";
    draft.say("AbleToScale", { isTrue: true, reason: "SucceededGetScale", message });
    if (!histories.has(key)) histories.set(key, newHistory(target.scale.specReplicas, clock.monotonicMs()));
    return target;
  } catch (error) {
    const why = error instanceof TargetError ? error.reason : errorText(error);
    state.recorder.event(state.autoscaler, "Warning", "FailedGetScale", why);
    const message = `the HPA controller was unable to get the target's current scale: ${why}`;
    draft.say("AbleToScale", { isTrue: false, reason: "FailedGetScale", message });
    await tryToWriteStatus(state);
    throw error;
  }
}

async function decide(target: Target, state: SyncState): Promise<Decision> {
  const { autoscaler, draft, settings } = state;
  const { specReplicas: current } = target.scale;
  const { minReplicas: min = MIN_REPLICAS, maxReplicas: max } = autoscaler.spec;
  const isScaledToZero = settings.scalesToZero && draft.isTrue("ScaledToZero");
  const check = precheck({
    current,
    min,
    max,
    isScaledToZero,
    hasMetricWithoutPods: hasMetricWithoutPods(autoscaler),
  });
  switch (check.kind) {
    case "disabled": {
      const message = "scaling is disabled since the replica count of the target is zero";
      draft.say("ScalingActive", { isTrue: false, reason: "ScalingDisabled", message });
      if (!settings.scalesToZero) draft.takeBack("ScaledToZero");
      return { desired: 0, reason: "", metrics: [] };
    }
    case "out-of-range":
      return { ...check, metrics: [] };
    case "metrics":
      return decideByMetrics(await proposal(target, state), { min, max, current }, state);
  }
}

async function proposal(target: Target, state: SyncState): Promise<Proposal> {
  const { autoscaler, draft, recorder } = state;
  try {
    return await propose(autoscaler, target.scale, state);
  } catch (error) {
    if (!(error instanceof ProposalError)) throw error;
    draft.count({ current: target.scale.specReplicas, metrics: error.statuses });
    await tryToWriteStatus(state);
    recorder.event(autoscaler, "Warning", "FailedComputeMetricsReplicas", error.message);
    const what = `failed to compute desired number of replicas based on listed metrics for ${referenceOf(autoscaler)}`;
    throw new Error(`${what}: ${error.message}`, { cause: error });
  }
}

function decideByMetrics(
  { replicas, name, statuses: metrics, partialError }: Proposal,
  range: { readonly min: number; readonly max: number; readonly current: number },
  state: SyncState,
): Decision {
  const { autoscaler, draft, world: { log } } = state;
  const { min, current } = range;
  const wanted = Math.max(0, replicas);
  log.verbose(4, "Proposing desired replicas", {
    desiredReplicas: replicas,
    metric: name,
    scaleTarget: referenceOf(autoscaler),
  });
  let reason = wanted > current ? `${name} above target` : wanted < current ? "All metrics below target" : "";
  const normalized = normalize({ ...range, wanted }, autoscaler.spec.behavior, pastOf(state));
  draft.say("AbleToScale", normalized.ableToScale);
  draft.say("ScalingLimited", normalized.scalingLimited);
  let desired = normalized.replicas;
  // The minimum was raised while the autoscaler itself had scaled to zero.
  if (current === 0 && min !== 0 && desired < min) {
    desired = min;
    reason ||= BELOW_MINIMUM;
  }
  return { desired, reason, metrics, partialError };
}

function sayScaledToZero(current: number, desired: number, { autoscaler, draft, settings }: SyncState): void {
  if (!settings.scalesToZero) return draft.takeBack("ScaledToZero");
  const { minReplicas: min = MIN_REPLICAS } = autoscaler.spec;
  const isTrue = current > 0 && desired === 0 && min === 0 && hasMetricWithoutPods(autoscaler);
  draft.say("ScaledToZero", {
    isTrue,
    reason: isTrue ? "ScaledToZero" : "NotScaledToZero",
    message: `the HPA controller ${isTrue ? "scaled" : "did not scale"} the workload to zero`,
  });
}

function pastOf(
  { histories, key, settings: { downscaleWindowMs }, world: { clock } }: SyncState,
): NormalizationContext {
  return { history: histories.get(key)!, nowMs: clock.monotonicMs(), downscaleWindowMs };
}

/**
 * Whether metrics are needed at all. With zero replicas they are not, because that is how users switch an autoscaler
 * off, unless the autoscaler itself scaled to zero.
 */
export function precheck({ current, min, max, isScaledToZero, hasMetricWithoutPods }: PrecheckInput): Precheck {
  if (current === 0) {
    const isOurs = isScaledToZero && (min !== 0 || hasMetricWithoutPods);
    return isOurs ? { kind: "metrics" } : { kind: "disabled" };
  }
  if (current > max) return { kind: "out-of-range", desired: max, reason: ABOVE_MAXIMUM };
  if (current < min) return { kind: "out-of-range", desired: min, reason: BELOW_MINIMUM };
  return { kind: "metrics" };
}

/** Whether a metric can determine the number of replicas from zero. */
export function hasMetricWithoutPods({ spec }: Autoscaler): boolean {
  return spec.metrics?.some(({ type }) => type === "Object" || type === "External") ?? false;
}
