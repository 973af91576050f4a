/** What the garbage collector and the namespace, serviceaccount and root-CA controllers do. */
import { CONFIGMAPS, DEPLOYMENTS, NAMESPACES, type OwnerReference, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { deployment, type Kit } from "./kit.ts";
import type { Scenario } from "./scenario.ts";

const ownedBy = (owner: { apiVersion: string; kind: string; name: string; uid: string }): OwnerReference => owner;

async function configMapOwner(kit: Kit, name: string): Promise<OwnerReference> {
  const owner = await kit.create(CONFIGMAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { name } });
  return ownedBy({ apiVersion: "v1", kind: "ConfigMap", name, uid: owner.metadata!.uid! });
}

const configMap = (name: string, ...ownerReferences: OwnerReference[]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, ownerReferences },
});

export const COLLECTION_SCENARIOS: readonly Scenario[] = [
  {
    name: "absent-owner",
    run: async (kit) => {
      const absent = ownedBy({
        apiVersion: "v1",
        kind: "ConfigMap",
        name: "never",
        uid: "11111111-2222-3333-4444-555555555555",
      });
      await kit.create(CONFIGMAPS, configMap("dependent", absent));
      await kit.untilGone(CONFIGMAPS, "dependent");
    },
  },
  {
    name: "one-owner-left",
    run: async (kit) => {
      const gone = await configMapOwner(kit, "gone");
      const stays = await configMapOwner(kit, "stays");
      await kit.create(CONFIGMAPS, configMap("dependent", gone, stays));
      await kit.delete(CONFIGMAPS, "gone");
      await kit.until(CONFIGMAPS, "dependent", "lost a reference", (c) => c.metadata?.ownerReferences?.length === 1);
    },
  },
  {
    name: "chain",
    run: async (kit) => {
      const top = await configMapOwner(kit, "top");
      const middle = await kit.create(CONFIGMAPS, configMap("middle", top));
      const owner = ownedBy({ apiVersion: "v1", kind: "ConfigMap", name: "middle", uid: middle.metadata!.uid! });
      await kit.create(CONFIGMAPS, configMap("bottom", { ...owner, blockOwnerDeletion: true }));
      await kit.delete(CONFIGMAPS, "top", "Foreground");
      for (const name of ["top", "middle", "bottom"]) await kit.untilGone(CONFIGMAPS, name);
    },
  },
  {
    name: "blocking-dependent",
    run: async (kit) => {
      const owner = await configMapOwner(kit, "owner");
      const stuck = configMap("stuck", { ...owner, blockOwnerDeletion: true });
      await kit.create(CONFIGMAPS, { ...stuck, metadata: { ...stuck.metadata, finalizers: ["example.com/wait"] } });
      await kit.delete(CONFIGMAPS, "owner", "Foreground");
      await kit.until(CONFIGMAPS, "stuck", "is ending", (c) => c.metadata?.deletionTimestamp);
    },
  },
  {
    name: "other-namespace-owner",
    run: async (kit) => {
      const elsewhere = await kit.client.get(CONFIGMAPS, { namespace: "kube-system", name: "kube-root-ca.crt" });
      const { name, uid } = elsewhere.metadata!;
      await kit.create(
        CONFIGMAPS,
        configMap("dependent", { apiVersion: "v1", kind: "ConfigMap", name: name!, uid: uid! }),
      );
      await kit.untilGone(CONFIGMAPS, "dependent");
    },
  },
];

export const NAMESPACE_SCENARIOS: readonly Scenario[] = [
  {
    name: "service-account-restored",
    run: async (kit) => {
      const before = await kit.get(SERVICEACCOUNTS, "default");
      await kit.delete(SERVICEACCOUNTS, "default");
      await kit.untilAll(SERVICEACCOUNTS, "default is back", ([sa]) => sa && sa.metadata?.uid !== before.metadata?.uid);
    },
  },
  {
    name: "root-ca-restored",
    run: async (kit) => {
      await kit.until(CONFIGMAPS, "kube-root-ca.crt", "exists", () => true);
      await kit.merge(CONFIGMAPS, "kube-root-ca.crt", { data: { "ca.crt": "forged", extra: "key" } });
      await kit.until(
        CONFIGMAPS,
        "kube-root-ca.crt",
        "is right again",
        (c) => c.data?.["ca.crt"] !== "forged" && Object.keys(c.data ?? {}).length === 1,
      );
      await kit.delete(CONFIGMAPS, "kube-root-ca.crt");
      await kit.until(CONFIGMAPS, "kube-root-ca.crt", "is back", () => true);
    },
  },
  {
    name: "namespace-stuck",
    run: async (kit) => {
      await kit.create(CONFIGMAPS, {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "stuck", finalizers: ["example.com/wait"] },
      });
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2 }));
      await kit.rolledOut("a");
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.until(NAMESPACES, kit.namespace, "names what remains", (ns) => {
        const of = (type: string) => ns.status?.conditions?.find((c) => c.type === type);
        return of("NamespaceContentRemaining")?.message ===
            "Some resources are remaining: configmaps. has 1 resource instances" &&
          of("NamespaceFinalizersRemaining")?.status === "True";
      });
    },
  },
  {
    name: "namespace-deleted",
    run: async (kit) => {
      await kit.create(DEPLOYMENTS, deployment("a", { replicas: 2 }));
      await kit.rolledOut("a");
      await kit.client.delete(NAMESPACES, { name: kit.namespace });
      await kit.untilGone(NAMESPACES, kit.namespace);
    },
  },
];
