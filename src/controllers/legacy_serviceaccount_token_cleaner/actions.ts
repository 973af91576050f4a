import { objectKey, type Secret, SECRETS } from "../../api/mod.ts";
import { isConflict, isNotFound } from "../../client/mod.ts";
import { journaled, refOf, serverSays } from "../running/mod.ts";
import type { CleanerContext } from "./context.ts";
import { INVALID_SINCE, type Verdict } from "./sync.ts";

/** Carries out a verdict. Failures are only logged, because the next pass retries. */
export async function carryOut(secret: Secret, verdict: Verdict, context: CleanerContext): Promise<void> {
  if (verdict.type === "keep") return;
  const { name: controller, world: { log } } = context;
  const key = objectKey(secret);
  const isMark = verdict.type === "mark";
  if (isMark) {
    log.info("Mark the auto-generated service account token as invalid", { invalidSince: verdict.day, secret: key });
  } else {
    log.info("Delete auto-generated service account token", { secret: key });
  }
  const cause = isMark ? "the token was unused for the period" : "the token was marked for the period";
  try {
    await journaled(
      { controller, kind: SECRETS.kind, key, cause },
      context,
      () => isMark ? mark(secret, verdict.day, context) : remove(secret, context),
    );
  } catch (err) {
    const what = isMark
      ? "Failed to label legacy service account token secret with invalid since date"
      : "Deleting legacy service account token";
    log.error(what, { err, secret: key });
  }
}

/** Includes the UID, which cannot be changed, so that the patch fails for a Secret that replaced this one. */
async function mark(secret: Secret, day: string, { client }: CleanerContext): Promise<void> {
  const { name, namespace, uid } = secret.metadata ?? {};
  const metadata = { name, namespace, uid, labels: { [INVALID_SINCE]: day } };
  await client.patch(SECRETS, refOf(secret), { type: "merge", body: { kind: "Secret", apiVersion: "v1", metadata } });
}

/** Only if it is unchanged: a token that was used meanwhile is kept. */
async function remove(secret: Secret, { client }: CleanerContext): Promise<void> {
  const { resourceVersion } = secret.metadata ?? {};
  try {
    await client.delete(SECRETS, refOf(secret), { preconditions: { resourceVersion } });
  } catch (error) {
    if (!serverSays(error, isConflict, isNotFound)) throw error;
  }
}
