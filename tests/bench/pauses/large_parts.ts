/** Parts of objects that use up what a request may weigh: 1.5 MiB in etcd, 256 KiB of annotations. */
import type { KubeObject, PodTemplateSpec } from "../../../src/api/mod.ts";
import { parallelize } from "../../../src/base/mod.ts";

/** Texts `PREFIX0`, `PREFIX1`, ... */
export function numbered(prefix: string, count: number): string[] {
  return Array.from({ length: count }, (_, i) => `${prefix}${i}`);
}

/** Annotations of all that an object may have, in many small ones. */
export function manyAnnotations(): Record<string, string> {
  return Object.fromEntries(numbered("example.com/a", 8_000).map((key) => [key, "v".repeat(10)]));
}

/** A pod template of some 600 KB: thousands of variables, and all annotations. */
export function largeTemplate(app: string, { variables = 8_000 }: { variables?: number } = {}): PodTemplateSpec {
  const env = numbered("VARIABLE_", variables).map((name) => ({ name, value: "a value like any other" }));
  return {
    metadata: { labels: { app }, annotations: manyAnnotations() },
    spec: { containers: [{ name: "c", image: "nginx:1", env }], terminationGracePeriodSeconds: 0 },
  };
}

/** A selector with as many values as fit. */
export function largeSelector(app: string) {
  const values = [...numbered("some-value-that-is-not-it-", 20_000), app];
  return { matchExpressions: [{ key: "app", operator: "In", values }] };
}

/** Calls `create` for 0 to `count` - 1, some at a time. */
export function each(count: number, create: (i: number) => Promise<unknown>): Promise<void> {
  return parallelize(16, count, async (i) => void await create(i));
}

/** `object` in kind and name. */
export function named<T extends KubeObject>(
  kind: Pick<T, "apiVersion" | "kind">,
  name: string,
  rest: Omit<T, "apiVersion" | "kind">,
): T {
  return { ...kind, ...rest, metadata: { ...rest.metadata, name } } as T;
}
