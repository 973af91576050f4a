import { errorText } from "../base/mod.ts";
import type { CloudProvider } from "./provider.ts";
import type { CloudProviderFactory, CloudSetup } from "./factory.ts";
import { HCLOUD } from "./hcloud/mod.ts";
import { IPPOOL_PROVIDER } from "./ippool/mod.ts";
import { WEBHOOK_PROVIDER } from "./webhook/mod.ts";

/** kubeloop's own providers. */
export const CLOUD_PROVIDERS: readonly CloudProviderFactory[] = [HCLOUD, IPPOOL_PROVIDER, WEBHOOK_PROVIDER];

/** The cloud provider cannot be used. */
export class CloudProviderError extends Error {
  override readonly name = "CloudProviderError";
}

/**
 * Opens the provider of that name.
 *
 * @throws {CloudProviderError} If there is none, or it cannot be opened; in upstream's words.
 */
export async function openCloudProvider(
  name: string,
  setup: CloudSetup,
  factories: readonly CloudProviderFactory[] = CLOUD_PROVIDERS,
): Promise<CloudProvider> {
  if (name === "" || name === "external") throw new CloudProviderError("Cloud provider is nil");
  const factory = factories.find((factory) => factory.name === name);
  if (!factory) {
    const known = factories.map((factory) => factory.name).join(", ");
    throw new CloudProviderError(
      `Cloud provider could not be initialized: unknown cloud provider ${JSON.stringify(name)}: there are ${known}`,
    );
  }
  try {
    return await factory.open(setup);
  } catch (cause) {
    throw new CloudProviderError(
      `Cloud provider could not be initialized: could not init cloud provider ${JSON.stringify(name)}: ${
        errorText(cause)
      }`,
      { cause },
    );
  }
}
