import { isRawNumber } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { typeName } from "../schema/mod.ts";
import { type FieldErrors } from "../validation/mod.ts";

/** Where a custom resource keeps the fields of its scale subresource. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** What is found at a scale path: a value, nothing, or something invalid. */
export type ScaleValue<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "absent" }
  | { readonly kind: "misfit"; readonly why: string };

const MOST_REPLICAS = 2147483647;

function stepsOf(path: string): string[] {
  return path.replace(/^\./, "").split(".");
}

function misfit(steps: readonly string[], value: unknown, wanted: string) {
  return { kind: "misfit", why: `.${steps.join(".")} must be ${wanted}, not ${typeName(value)}` } as const;
}

function follow(object: unknown, path: string): ScaleValue<unknown> {
  const steps = stepsOf(path);
  let value = object;
  for (const [i, step] of steps.entries()) {
    if (value === null) return { kind: "absent" };
    if (!isObject(value)) return misfit(steps.slice(0, i + 1), value, "an object");
    if (!Object.hasOwn(value, step)) return { kind: "absent" };
    value = value[step];
  }
  return { kind: "value", value };
}

/** The replicas at `path`. Upstream: `unstructured.NestedInt64`. */
export function replicasAt(object: unknown, path: string): ScaleValue<number> {
  const found = follow(object, path);
  if (found.kind !== "value") return found;
  const { value } = found;
  if (isRawNumber(value) || Number.isInteger(value)) {
    return { kind: "value", value: Number(isRawNumber(value) ? value.rawJSON : value) };
  }
  return misfit(stepsOf(path), value, "an integer");
}

/** The text at `path`. Upstream: `unstructured.NestedString`. */
export function textAt(object: unknown, path: string): ScaleValue<string> {
  const found = follow(object, path);
  if (found.kind !== "value") return found;
  if (typeof found.value === "string") return { kind: "value", value: found.value };
  return misfit(stepsOf(path), found.value, "a string");
}

/** Sets the replicas in `object`, creating objects on the way. */
export function setReplicas(object: JsonObject, path: string, replicas: number): void {
  const steps = stepsOf(path);
  let at = object;
  for (const step of steps.slice(0, -1)) {
    const next = at[step];
    at = isObject(next) ? next : at[step] = {} as JsonObject;
  }
  at[steps.at(-1)!] = replicas;
}

/**
 * Whether an object can be shown as a scale. Upstream: `pkg/registry/customresource/validator.go`.
 *
 * @param part `spec` checks the desired replicas, `status` the actual ones and the selector.
 */
export function validateScale(object: unknown, paths: ScalePaths, part: "spec" | "status", errors: FieldErrors): void {
  const path = part === "spec" ? paths.specReplicasPath : paths.statusReplicasPath;
  const replicas = replicasAt(object, path);
  if (replicas.kind === "misfit") errors.invalid(path, 0, replicas.why);
  if (replicas.kind === "value" && replicas.value < 0) {
    errors.invalid(path, replicas.value, "should be a non-negative integer");
  }
  if (replicas.kind === "value" && replicas.value > MOST_REPLICAS) {
    errors.invalid(path, replicas.value, `should be less than or equal to ${MOST_REPLICAS}`);
  }
  if (part === "spec" || paths.labelSelectorPath === undefined) return;
  const selector = textAt(object, paths.labelSelectorPath);
  if (selector.kind === "misfit") errors.invalid(paths.labelSelectorPath, "", selector.why);
}
