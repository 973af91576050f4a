import { type Clock, deepEqual } from "../../base/mod.ts";
import {
  type AutoscalingV2HorizontalPodAutoscaler,
  type AutoscalingV2HorizontalPodAutoscalerStatus,
  findCondition,
  formatTime,
  type MetricStatus,
  type MetricValueStatus,
  parseTime,
  Quantity,
  type QuantityValue,
} from "../../api/mod.ts";
import { withCondition } from "../running/mod.ts";

type Status = AutoscalingV2HorizontalPodAutoscalerStatus;

/** The types of an autoscaler's conditions. */
export type ConditionType = "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero";

/** The content of a condition. */
export interface Said {
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** The numbers of replicas, and the metrics. */
export interface Figures {
  readonly current: number;
  /** Unchanged if absent. */
  readonly desired?: number;
  readonly metrics: readonly MetricStatus[];
  readonly isRescaled?: boolean;
}

/**
 * The new status of an autoscaler while it is being computed.
 *
 * Contract:
 * 1. A condition's time of transition moves only with its status.
 * 2. Conditions keep their order; what nobody speaks of stays.
 * 3. It is a change only if a quantity has another value, or a time is another one.
 */
export class StatusDraft {
  readonly #before: Status;
  #status: Status;
  readonly #clock: Clock;

  constructor({ status = { desiredReplicas: 0 } }: AutoscalingV2HorizontalPodAutoscaler, clock: Clock) {
    this.#before = status;
    this.#status = status;
    this.#clock = clock;
  }

  get status(): Status {
    return this.#status;
  }

  /** Whether there is anything to write. */
  get isChanged(): boolean {
    // Usually nothing changed.
    if (deepEqual(this.#before, this.#status)) return false;
    return !deepEqual(comparable(this.#before), comparable(this.#status));
  }

  isTrue(type: ConditionType): boolean {
    return findCondition(this.#status.conditions, type)?.status === "True";
  }

  say(type: ConditionType, { isTrue, reason, message }: Said): void {
    const statement = { type, status: isTrue ? "True" : "False", reason, message };
    const conditions = withCondition(this.#status.conditions, statement, this.#clock.wallMs());
    this.#status = { ...this.#status, conditions };
  }

  takeBack(type: ConditionType): void {
    const conditions = this.#status.conditions?.filter((condition) => condition.type !== type);
    this.#status = { ...this.#status, conditions };
  }

  /** Sets the numbers; drops everything else except conditions. */
  count({ current, desired, metrics, isRescaled }: Figures): void {
    const { desiredReplicas, lastScaleTime, conditions } = this.#status;
    this.#status = {
      currentReplicas: current,
      desiredReplicas: desired ?? desiredReplicas,
      lastScaleTime: isRescaled ? formatTime(this.#clock.wallMs()) : lastScaleTime,
      currentMetrics: metrics.length > 0 ? [...metrics] : undefined,
      conditions,
    };
  }
}

/** A status in a normal form for comparison. */
function comparable({ currentReplicas = 0, currentMetrics, lastScaleTime, conditions, ...rest }: Status) {
  return {
    ...rest,
    currentReplicas,
    lastScaleTime: lastScaleTime && parseTime(lastScaleTime),
    currentMetrics: (currentMetrics ?? []).map(comparableMetric),
    conditions: (conditions ?? []).map(({ reason = "", message = "", lastTransitionTime, ...condition }) => ({
      ...condition,
      reason,
      message,
      lastTransitionTime: lastTransitionTime && parseTime(lastTransitionTime),
    })),
  };
}

function comparableMetric({ type, ...sources }: MetricStatus) {
  const compared = Object.entries(sources).map(([name, source]) => [
    name,
    { ...source, current: source && comparableValue(source.current) },
  ]);
  return { type, ...Object.fromEntries(compared) };
}

function comparableValue({ value, averageValue, averageUtilization }: MetricValueStatus) {
  const number = (quantity: QuantityValue | undefined) =>
    quantity === undefined ? undefined : Quantity.parse(quantity).multiply(1_000_000_000n).roundedUp();
  return { value: number(value), averageValue: number(averageValue), averageUtilization };
}
