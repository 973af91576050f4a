import type { World } from "../../base/mod.ts";
import { CloudError } from "../errors.ts";
import { actionDone } from "./actions.ts";
import { shown } from "./answers.ts";
import type { HcloudApi } from "./api.ts";
import { SERVICE_UID_LABEL } from "./balancer.ts";
import type { CertificateWish } from "./certificate_wish.ts";
import { isRefusal } from "./failures.ts";

/** Marks a managed certificate from the authority's test system. */
const STAGING_LABEL = "HC-Use-Staging-CA";

/**
 * The IDs of the certificates that a Service wants; `undefined` if it has no preference. A missing managed certificate
 * is created. None is ever deleted, because authorities limit how many they issue for a domain.
 * Upstream: `hcloud-cloud-controller-manager/internal/hcops/certificates.go`, which tries to create a managed one at
 * each sync.
 *
 * @throws {CloudError} If one that the user should have created is missing, or a different one has its name.
 */
export async function certificateIds(
  api: HcloudApi,
  world: World,
  wish: CertificateWish,
  uid: string,
  signal: AbortSignal,
): Promise<readonly number[] | undefined> {
  switch (wish.kind) {
    case "any":
      return undefined;
    case "uploaded": {
      const ids: number[] = [];
      for (const idOrName of wish.certificates) {
        ids.push(typeof idOrName === "number" ? idOrName : await idByName(api, idOrName, signal));
      }
      return ids;
    }
    case "managed":
      return [await managedId(api, world, wish, uid, signal)];
  }
}

async function idByName(api: HcloudApi, name: string, signal: AbortSignal): Promise<number> {
  const { value } = await api.list("certificates", { name }, signal);
  const certificate = value.find((certificate) => certificate.text("name") === name);
  if (!certificate) throw new CloudError(`certificate ${JSON.stringify(shown(name))} not found`);
  return certificate.id("id");
}

async function managedId(
  api: HcloudApi,
  world: World,
  { name, domains, isStaging }: CertificateWish & { readonly kind: "managed" },
  uid: string,
  signal: AbortSignal,
): Promise<number> {
  const { value } = await api.list("certificates", { label_selector: `${SERVICE_UID_LABEL}=${uid}` }, signal);
  const ours = value.filter((certificate) => certificate.record("labels")[SERVICE_UID_LABEL] === uid);
  if (ours.length > 1) throw new CloudError(`${ours.length} certificates have the label ${SERVICE_UID_LABEL}=${uid}`);
  if (ours.length === 1) return ours[0].id("id");
  const labels = { [SERVICE_UID_LABEL]: uid, ...isStaging && { [STAGING_LABEL]: "true" } };
  try {
    const body = { name, type: "managed", domain_names: domains, labels };
    const answer = await api.send("POST", "/certificates", body, signal);
    await actionDone(api, world, answer, signal);
    return answer.object("certificate").id("id");
  } catch (error) {
    if (!isRefusal(error, "uniqueness_error")) throw error;
    throw new CloudError(
      `there is a certificate called ${JSON.stringify(shown(name))} without the label ${SERVICE_UID_LABEL}=${uid}: ` +
        "give that label to it, or choose another name",
      { cause: error },
    );
  }
}
