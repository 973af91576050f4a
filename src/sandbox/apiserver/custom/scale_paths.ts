import { isRawNumber } from "../../../base/mod.ts";
import { isObject, type JsonObject } from "../base/mod.ts";
import { typeName } from "../schema/mod.ts";
import type { FieldErrors } from "../validation/mod.ts";

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

/** @param read Returns `undefined` if a value is not the wanted one. */
function valueAt<T>(
  object: unknown,
  path: string,
  wanted: string,
  read: (value: unknown) => T | undefined,
): ScaleValue<T> {
  const steps = stepsOf(path);
  let value = object;
  for (const [i, step] of steps.entries()) {
    if (value === null) return { kind: "absent" };
    if (!isObject(value)) return misfit(steps.slice(0, i + 1), value, "an object");
    if (!Object.hasOwn(value, step)) return { kind: "absent" };
    value = value[step];
  }
  const found = read(value);
  return found === undefined ? misfit(steps, value, wanted) : { kind: "value", value: found };
}

/** The replicas at `path`. Upstream: `unstructured.NestedInt64`. */
export function replicasAt(object: unknown, path: string): ScaleValue<number> {
  return valueAt(object, path, "an integer", (value) => {
    if (isRawNumber(value)) return Number(value.rawJSON);
    return Number.isInteger(value) ? Number(value) : undefined;
  });
}

/** The text at `path`. Upstream: `unstructured.NestedString`. */
export function textAt(object: unknown, path: string): ScaleValue<string> {
  return valueAt(object, path, "a string", (value) => typeof value === "string" ? value : undefined);
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
  if (replicas.kind === "value") {
    const { value } = replicas;
    if (value < 0) errors.invalid(path, value, "should be a non-negative integer");
    if (value > MOST_REPLICAS) errors.invalid(path, value, `should be less than or equal to ${MOST_REPLICAS}`);
  }
  if (part === "spec" || paths.labelSelectorPath === undefined) return;
  const selector = textAt(object, paths.labelSelectorPath);
  if (selector.kind === "misfit") errors.invalid(paths.labelSelectorPath, "", selector.why);
}
