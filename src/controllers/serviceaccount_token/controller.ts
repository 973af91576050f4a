import { encodeBase64 } from "@std/encoding/base64";
import { SECRETS, SERVICEACCOUNTS } from "../../api/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController, together } from "../running/mod.ts";
import { ACCOUNT_TOKENS } from "../token_secrets/mod.ts";
import type { TokenContext } from "./context.ts";
import { accountHandler, secretHandler } from "./handlers.ts";
import { objectKeyIn, readKey } from "./keys.ts";
import { syncAccount, syncSecret } from "./sync.ts";
import { TokenSigner } from "./token_signer.ts";

export const NAME = "serviceaccount-token-controller";
/** It uses the process's own credentials, because other controllers' tokens may depend on it. */
export const CLIENT_NAME = "tokens-controller";
export const ROOT_CA = "root-ca-file";
export const SIGNING_KEY = "service-account-private-key-file";
/** Upstream gives both queues this name. */
const QUEUE = "serviceaccount_tokens_service";
/** After this many retries, a key is left alone until its object changes. */
const MOST_RETRIES = 10;
const NO_RESYNC = { resyncPeriodMs: 0 };

/**
 * @returns `undefined` without a key.
 * @throws {SigningError} If the file holds none that can be used.
 */
export async function buildTokenController(
  context: ControllerContext,
  { privateKeyFile, workers }: { readonly privateKeyFile: string; readonly workers: number },
): Promise<Controller | undefined> {
  const { world, metrics, informers, journal, files } = context;
  if (privateKeyFile === "") {
    world.log.info("Controller is disabled because there is no private key");
    return undefined;
  }
  const signer = new TokenSigner(context.signer, SIGNING_KEY);
  await signer.check();
  const accounts = informers.informer(SERVICEACCOUNTS, ["secrets"]);
  const secrets = informers.informer(SECRETS, ["type", "data"], ACCOUNT_TOKENS);
  const syncing: TokenContext = {
    world,
    client: context.clients.client(CLIENT_NAME),
    accounts: accounts.lister,
    secrets: secrets.lister,
    signer,
    rootCa: encodeBase64(files.text(ROOT_CA)),
  };
  const accountQueue = new WorkQueue({ world, name: QUEUE, metrics });
  const secretQueue = new WorkQueue({ world, name: QUEUE, metrics });
  const caches = [
    accounts.addEventHandler(accountHandler(accountQueue), NO_RESYNC),
    secrets.addEventHandler(secretHandler(secretQueue), NO_RESYNC),
  ];
  const worked = (
    queue: WorkQueue,
    resource: typeof SECRETS | typeof SERVICEACCOUNTS,
    sync: typeof syncSecret,
  ) =>
    queueController({
      name: NAME,
      world,
      journal,
      resource,
      objectKeyOf: objectKeyIn,
      queue,
      caches,
      workers,
      sync: (key, more) => sync(readKey(key), syncing, more),
      onError: (key, err) => {
        const isLast = queue.numRequeues(key) >= MOST_RETRIES;
        const what = isLast ? "Sync failed, and is not tried again before a change" : "Sync failed, will retry";
        world.log.error(what, { err, [resource.kind.toLowerCase()]: objectKeyIn(key) });
        return isLast ? "forget" : "retry";
      },
    });
  return together(
    worked(accountQueue, SERVICEACCOUNTS, syncAccount),
    worked(secretQueue, SECRETS, syncSecret),
  );
}
