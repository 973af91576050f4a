import type { LabelSelector } from "./generated_types.ts";

/**
 * A selector as Go prints the struct; upstream shows it so in events and tables.
 * Upstream: `k8s.io/apimachinery/pkg/apis/meta/v1/generated.pb.go` (String).
 *
 * @example
 * ```ts
 * import { selectorGoText } from "kubeloop/api";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(
 *   selectorGoText({ matchLabels: { app: "web" } }),
 *   "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}",
 * );
 * ```
 */
export function selectorGoText({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels).sort().map((key) => `${key}: ${matchLabels[key]},`).join("");
  const expressions = matchExpressions.map(({ key, operator, values = [] }) =>
    `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`
  ).join("");
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},` +
    `MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
