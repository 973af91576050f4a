/** What an autoscaler's metrics ask for, one by one. */
export { evaluate } from "./evaluate.ts";
export { MetricError } from "./metric_error.ts";
export type { Evaluated, EvaluationContext, Subject } from "./subject.ts";
