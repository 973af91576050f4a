import type { JSONSchemaProps } from "../../../api/mod.ts";
import { type Before, type Check, Findings } from "./checks.ts";

/** Runs a check on a value and its previous one. */
type Run = (check: Check) => Findings;

/**
 * `allOf`, `anyOf`, `oneOf` and `not`; `undefined` if a schema has none. Upstream:
 * `kube-openapi/pkg/validation/validate/schema_props.go`.
 */
export function combinedCheck(schema: JSONSchemaProps, compile: (schema: JSONSchemaProps) => Check): Check | undefined {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const any = anyOf.map(compile);
  const one = oneOf.map(compile);
  const all = allOf.map(compile);
  const none = not && compile(not);
  if (any.length + one.length + all.length === 0 && !none) return undefined;
  return (value: unknown, path: string, found: Findings, before?: Before) => {
    const run: Run = (check) => {
      const findings = new Findings();
      check(value, path, findings, before);
      return findings;
    };
    if (any.length > 0) checkAny(any, run, path, found);
    if (one.length > 0) checkOne(one, run, path, found);
    if (all.length > 0) checkAll(all, run, path, found);
    if (none && run(none).problems.length === 0) refuse(found, path, "must not match its schema (not)");
  };
}

/** Upstream reports these without a field. */
function refuse(found: Findings, path: string, why: string): void {
  found.invalid("", "", `${path || "the object"} ${why}`);
}

function isRight({ problems }: Findings): boolean {
  return problems.length === 0;
}

/** The schema that matches best; the first if several do. */
function best(results: readonly Findings[]): Findings {
  return results.reduce((a, b) => b.matches > a.matches ? b : a);
}

function checkAny(checks: readonly Check[], run: Run, path: string, found: Findings): void {
  const failed: Findings[] = [];
  for (const check of checks) {
    const result = run(check);
    if (isRight(result)) return found.merge(result);
    failed.push(result);
  }
  refuse(found, path, "must match one of its schemas (anyOf)");
  found.merge(best(failed));
}

function checkOne(checks: readonly Check[], run: Run, path: string, found: Findings): void {
  const results = checks.map(run);
  const right = results.filter(isRight);
  if (right.length === 1) return found.merge(right[0]);
  refuse(found, path, `must match exactly one of its schemas, not ${right.length} (oneOf)`);
  if (right.length === 0) found.merge(best(results));
}

function checkAll(checks: readonly Check[], run: Run, path: string, found: Findings): void {
  const results = checks.map(run);
  for (const result of results) found.merge(result);
  if (!results.every(isRight)) refuse(found, path, "must match all of its schemas (allOf)");
}
