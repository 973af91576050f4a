import { CONFIGMAPS } from "../../api/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { RootCaAction } from "./config_map.ts";
import type { PublisherClient } from "./context.ts";

/** Carries out an action; a namespace that is gone or terminating no longer needs the ConfigMap. */
export async function publish(client: PublisherClient, action: RootCaAction): Promise<void> {
  switch (action.type) {
    case "none":
      return;
    case "create":
      try {
        await client.create(CONFIGMAPS, action.configMap);
      } catch (error) {
        if (!serverSays(error, isNotFound, isNamespaceTerminating)) throw error;
      }
      return;
    case "update":
      await client.update(CONFIGMAPS, action.configMap);
  }
}
