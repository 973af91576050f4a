import { decodeBase64 } from "@std/encoding/base64";
import { parseTime, type Secret } from "../../../api/mod.ts";
import type { Store, StoredObject } from "../../storage/mod.ts";
import { attempt } from "../base/mod.ts";
import { AUTHENTICATED, type User } from "../access/mod.ts";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const TYPE = "bootstrap.kubernetes.io/token";
const GROUP = "system:bootstrappers";
const MORE_GROUPS = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

/**
 * The user of a token with which a machine joins. The token is kept in a Secret of `kube-system` until it expires.
 * Upstream: `plugin/pkg/auth/authenticator/token/bootstrap`.
 *
 * @returns `undefined` if it is no bootstrap token or not valid.
 */
export function userOfBootstrapToken(
  token: string,
  { store, nowMs }: { readonly store: Pick<Store, "get">; readonly nowMs: number },
): User | undefined {
  const [, id, text] = TOKEN.exec(token) ?? [];
  if (!id) return undefined;
  const secret = store.get("secrets", `kube-system/bootstrap-token-${id}`) as Secret & StoredObject | undefined;
  if (secret?.type !== TYPE || secret.metadata.deletionTimestamp) return undefined;
  // Empty values count as absent.
  const data = new Map(
    Object.entries(secret.data ?? {}).filter(([, value]) => value)
      .map(([key, value]) => [key, new TextDecoder().decode(decodeBase64(value))]),
  );
  const isIts = data.get("token-id") === id && data.get("token-secret") === text;
  const expiration = data.get("expiration");
  // An unreadable time counts as past.
  const untilMs = expiration === undefined ? Infinity : attempt(() => parseTime(expiration)) ?? -Infinity;
  if (!isIts || untilMs <= nowMs) return undefined;
  if (data.get("usage-bootstrap-authentication") !== "true") return undefined;
  const more = data.get("auth-extra-groups")?.split(",") ?? [];
  if (!more.every((group) => MORE_GROUPS.test(group))) return undefined;
  const groups = [...new Set([GROUP, ...more])].sort();
  return { username: `system:bootstrap:${id}`, groups: [...groups, AUTHENTICATED] };
}
