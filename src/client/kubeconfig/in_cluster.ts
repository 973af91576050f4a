import type { World } from "../../base/mod.ts";
import { ConfigError, readFailure } from "./config_error.ts";
import type { ClientConfig } from "../client_config.ts";
import type { Environment } from "../environment.ts";

const FOLDER = "/var/run/secrets/kubernetes.io/serviceaccount";

/**
 * A pod's configuration: its service account and namespace, and the server's address from its environment. Upstream:
 * `client-go/rest` (InClusterConfig), `client-go/tools/clientcmd` (inClusterClientConfig).
 *
 * @returns `undefined` outside of a cluster.
 * @throws {ConfigError} If the token cannot be read.
 */
export async function inClusterConfig(
  world: World,
  { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port }: Environment,
): Promise<ClientConfig | undefined> {
  if (!host || !port) return undefined;
  const tokenFile = `${FOLDER}/token`;
  const caFile = `${FOLDER}/ca.crt`;
  let token: string;
  try {
    token = (await world.files.readText(tokenFile)).trim();
  } catch (cause) {
    throw new ConfigError(readFailure(tokenFile, cause), { cause });
  }
  const namespace = await world.files.readText(`${FOLDER}/namespace`).then((text) => text.trim(), () => "");
  const account = { token, tokenFile, ...namespace === "" ? {} : { namespace } };
  const server = `https://${host.includes(":") ? `[${host}]` : host}:${port}`;
  try {
    await world.files.readText(caFile);
  } catch (err) {
    world.log.error(`Expected to load root CA config from ${caFile}, but got err`, { err });
    return { server, ...account };
  }
  return { server, ...account, ca: { file: caFile } };
}
