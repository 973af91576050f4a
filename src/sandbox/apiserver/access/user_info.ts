import type { UserInfo } from "../../../api/mod.ts";
import type { User } from "./user.ts";

/** A user in the form that reviews have. */
export function userInfo({ username, uid, groups, extra }: User): UserInfo {
  return {
    username,
    ...uid ? { uid } : {},
    ...groups.length > 0 ? { groups: [...groups] } : {},
    ...extra ? { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) } : {},
  };
}
