import { CONFIGMAPS } from "../../api/mod.ts";
import { type Client, isNamespaceTerminating, isNotFound, StatusError } from "../../client/mod.ts";
import type { RootCaAction } from "./sync.ts";

export type PublisherClient = Pick<Client, "create" | "update">;

/** Does what was decided; a namespace that is gone or going needs no ConfigMap any more. */
export async function publish(client: PublisherClient, action: RootCaAction): Promise<void> {
  switch (action.type) {
    case "none":
      return;
    case "create":
      try {
        await client.create(CONFIGMAPS, action.configMap);
      } catch (error) {
        const isGone = error instanceof StatusError && isNotFound(error);
        if (!isGone && !isNamespaceTerminating(error)) throw error;
      }
      return;
    case "update":
      await client.update(CONFIGMAPS, action.configMap);
  }
}
