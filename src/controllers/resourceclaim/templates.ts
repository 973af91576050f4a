import type { ResourceClaimTemplate } from "../../api/mod.ts";
import type { ClaimContext } from "./context.ts";
import { wantsAdminAccess } from "./metrics.ts";

/**
 * The template that a pod or group names.
 *
 * @throws {Error} If there is none yet, or it requests a disabled feature.
 */
export function templateFor(
  namespace: string | undefined,
  name: string,
  { templates, gates }: Pick<ClaimContext, "templates" | "gates">,
): ResourceClaimTemplate {
  const template = templates.get(namespace, name);
  if (!template) {
    throw new Error(`resource claim template "${name}": resourceclaimtemplate.resource.k8s.io "${name}" not found`);
  }
  const { spec } = template.spec;
  if (wantsAdminAccess(spec) && !gates.has("DRAAdminAccess")) {
    throw new Error("admin access is requested, but the feature is disabled");
  }
  const hasAlternatives = spec.devices?.requests?.some(({ firstAvailable }) => firstAvailable?.length);
  if (hasAlternatives && !gates.has("DRAPrioritizedList")) {
    throw new Error("template includes a prioritized list of subrequests, but the feature is disabled");
  }
  return template;
}
