import type { Secret, ServiceAccount } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { accountKey, secretKey } from "./keys.ts";

type Queue = Pick<WorkQueue, "add">;

/** An account is queued when it is gone, also if another one has its name by then. While it is there nothing is to be done. */
export function accountHandler(queue: Queue): EventHandler<ServiceAccount> {
  const gone = (account: ServiceAccount) => queue.add(accountKey(account), cause("serviceaccount", account, "deleted"));
  return {
    onUpdate: (before, account) => {
      if (before.metadata?.uid !== account.metadata?.uid) gone(before);
    },
    onDelete: (deleted) => {
      const account = finalStateOf(deleted);
      if (account) gone(account);
    },
  };
}

/** A Secret is queued with every change, and as it was last when it is gone. */
export function secretHandler(queue: Queue): EventHandler<Secret> {
  return {
    onAdd: (secret) => queue.add(secretKey(secret), cause("secret", secret, "added")),
    onUpdate: (before, secret) => queue.add(secretKey(secret), cause("secret", secret, changeOf(before, secret))),
    onDelete: (deleted) => {
      const secret = finalStateOf(deleted);
      if (secret) queue.add(secretKey(secret), cause("secret", secret, "deleted"));
    },
  };
}
