import type { Details, ObjectFacts } from "./facts.ts";
import type { Finding } from "./finding.ts";
import { counted, kubectlName } from "./wording.ts";

type Explain = (facts: ObjectFacts) => Finding;

/** What blocks removing a claim's protection: pods on nodes. `undefined` if they could not be read. */
export function claimUsers(
  { users, userCount, areUsersRead }: Extract<Details, { type: "claim" }>,
  explain: Explain,
): Finding[] | undefined {
  if (userCount === 0) {
    return areUsersRead
      ? [{ code: "InUse", level: "info", message: "no pod on a node refers to it: it is free to go" }]
      : undefined;
  }
  const more = userCount - users.length;
  return [
    {
      code: "InUse",
      level: "blocks",
      message: `in use by ${counted(userCount, "pod")}${more > 0 ? `; ${users.length} shown` : ""}`,
      causes: users.map(explain),
      advice: {
        key: "claim in use",
        text: "delete the pods that use the claim, or scale down what makes them; pods that have ended count too",
      },
    },
  ];
}

/** What blocks removing a volume's protection: the claim that it is bound to. */
export function volumeBinding(
  { volume, claim }: Extract<Details, { type: "volume" }>,
  explain: Explain,
): Finding[] {
  const { namespace, name } = volume.spec?.claimRef ?? {};
  const phase = volume.status?.phase ?? "unknown";
  if (phase !== "Bound") {
    return [{ code: "Bound", level: "info", message: `its phase is ${phase}: it is free to go` }];
  }
  if (!claim) {
    return [{
      code: "Bound",
      level: "passes",
      message:
        `bound to claim ${namespace}/${name}, which was not found: persistentvolume-binder-controller releases it`,
      waitsFor: "kube-controller-manager",
    }];
  }
  const isGoing = claim.object.metadata?.deletionTimestamp !== undefined;
  return [{
    code: "Bound",
    level: "blocks",
    message: `bound to claim ${namespace}/${name}`,
    causes: [explain(claim)],
    advice: isGoing ? undefined : {
      key: `claim ${namespace}/${name}`,
      text: "a volume goes after its claim: delete the claim, if its data may go",
      command: `kubectl delete ${kubectlName(claim.resource, claim.object)}`,
    },
  }];
}

/** What blocks an attacher's finalizer: attachments to nodes. */
export function volumeAttachments(
  { attachments }: Extract<Details, { type: "volume" }>,
  explain: Explain,
): Finding[] {
  if (attachments.length === 0) return [{ code: "Attached", level: "info", message: "it is attached to no node" }];
  const message = `attached by ${counted(attachments.length, "VolumeAttachment")}`;
  return [{ code: "Attached", level: "blocks", message, causes: attachments.map(explain) }];
}
