import { ApiError, forbidden } from "../base/mod.ts";
import type { Access } from "../access/mod.ts";

/** What a user cannot do, in the wording of upstream's `apiserver/pkg/endpoints/handlers/responsewriters/errors.go`. */
function accessText(access: Access): string {
  const who = `User ${JSON.stringify(access.user.username)} cannot ${access.verb}`;
  if ("path" in access) return `${who} path ${JSON.stringify(access.path)}`;
  const { group, resource, subresource, namespace } = access;
  const what = JSON.stringify(subresource ? `${resource}/${subresource}` : resource);
  const where = namespace ? `in the namespace ${JSON.stringify(namespace)}` : "at the cluster scope";
  return `${who} resource ${what} in API group ${JSON.stringify(group)} ${where}`;
}

/** Keeps browsers from reading the message as markup. */
function sanitised(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The answer to a request that was not allowed. */
export function accessForbidden(access: Access, reason: string): ApiError {
  const text = sanitised(accessText(access));
  const why = reason === "" ? text : `${text}: ${reason}`;
  if ("path" in access) return new ApiError(403, "Forbidden", `forbidden: ${why}`, {});
  return forbidden({ group: access.group, plural: access.resource, kind: "" }, access.name ?? "", why);
}
