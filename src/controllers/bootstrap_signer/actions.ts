import { type ConfigMap, CONFIGMAPS } from "../../api/mod.ts";
import { isConflict, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { SignerClient } from "./context.ts";

/**
 * Writes the signed ConfigMap. If it changed meanwhile or is gone, an event will follow.
 *
 * @throws {StatusError} If it could not be written.
 */
export async function writeSigned(client: SignerClient, configMap: ConfigMap): Promise<void> {
  try {
    await client.update(CONFIGMAPS, configMap);
  } catch (error) {
    if (!serverSays(error, isConflict, isNotFound)) throw error;
  }
}
