import { errorText } from "../../base/mod.ts";
import { providerBehind } from "../calls.ts";
import { CloudConfigError } from "../config_document.ts";
import type { CloudProviderFactory } from "../factory.ts";
import { WebhookConnections } from "./connection.ts";
import { WebhookEndpoint } from "./endpoint.ts";
import { readWebhookSettings } from "./settings.ts";

/**
 * A provider that the user implements in any language: each method is a POST of JSON to an HTTPS endpoint
 * (`manifests/cloud-webhook.openapi.yaml`).
 */
export const WEBHOOK_PROVIDER: CloudProviderFactory = {
  name: "webhook",
  async open(setup) {
    const settings = readWebhookSettings(setup.config);
    const endpoint = new WebhookEndpoint(setup.world, settings, new WebhookConnections(setup, settings));
    try {
      const { capabilities, ...rest } = await endpoint.describe();
      const description = { ...rest, capabilities: [...new Set(capabilities)] };
      setup.world.log.info("The cloud is behind a webhook", { url: settings.url, ...description });
      return providerBehind(description, (call, signal) => endpoint.call(call, signal));
    } catch (cause) {
      throw new CloudConfigError(setup.config.path, `${settings.url}: ${errorText(cause)}`, { cause });
    }
  },
};
