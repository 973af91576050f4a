import type { Secret, ServiceAccount } from "../../api/mod.ts";
import { type EventHandler, finalStateOf } from "../../cache/mod.ts";
import type { WorkQueue } from "../../workqueue/mod.ts";
import { cause, changeOf } from "../running/mod.ts";
import { accountKey, secretKey } from "./keys.ts";

type Queue = Pick<WorkQueue, "add">;

/** Queues an account when it is deleted, even if it was recreated by then. An existing account needs no work. */
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

/** Queues a Secret with every change, and its last state when it is deleted. */
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
