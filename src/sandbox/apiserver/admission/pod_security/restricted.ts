import { isSafeProfile, procMount, seccompProfile } from "./baseline.ts";
import {
  type Check,
  containersOf,
  hasOwnUsers,
  isWindows,
  named,
  plural,
  type PodLike,
  quoted,
  setters,
  sortedSet,
  type Violation,
  violation,
  whose,
} from "./check.ts";

const VOLUMES = [
  "configMap",
  "csi",
  "downwardAPI",
  "emptyDir",
  "ephemeral",
  "image",
  "persistentVolumeClaim",
  "projected",
  "secret",
];

function allowPrivilegeEscalation(pod: PodLike, minor: number): Violation | undefined {
  if (isWindows(pod, minor)) return undefined;
  const containers = containersOf(pod).filter((each) => each.securityContext?.allowPrivilegeEscalation !== false);
  const does = "must set securityContext.allowPrivilegeEscalation=false";
  return violation("allowPrivilegeEscalation != false", named(containers), does);
}

function capabilities(pod: PodLike, minor: number): Violation | undefined {
  if (isWindows(pod, minor)) return undefined;
  const details: string[] = [];
  const keeping = containersOf(pod).filter(({ securityContext }) =>
    !securityContext?.capabilities?.drop?.includes("ALL")
  );
  if (keeping.length > 0) details.push(`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  const added = (context: { capabilities?: { add?: string[] } } | undefined) =>
    context?.capabilities?.add?.filter((each) => each !== "NET_BIND_SERVICE") ?? [];
  const adding = whose(pod, (context) => added(context).length > 0);
  if (adding.length > 0) {
    const all = sortedSet(adding.flatMap(({ securityContext }) => added(securityContext)));
    details.push(`${named(adding)} must not include ${quoted(all)} in securityContext.capabilities.add`);
  }
  return details.length > 0 ? { reason: "unrestricted capabilities", detail: details.join("; ") } : undefined;
}

function restrictedVolumes({ spec }: PodLike): Violation | undefined {
  const typeOf = (volume: object) => Object.keys(volume).find((field) => field !== "name") ?? "unknown";
  const volumes = spec.volumes?.filter((volume) => !VOLUMES.includes(typeOf(volume))) ?? [];
  const types = sortedSet(volumes.map(typeOf));
  const verb = volumes.length === 1 ? "uses" : "use";
  const what = plural("restricted volume type", types.length);
  return violation("restricted volume types", named(volumes, "volume"), `${verb} ${what} ${quoted(types)}`);
}

function runAsNonRoot(pod: PodLike, minor: number): Violation | undefined {
  if (hasOwnUsers(pod, minor)) return undefined;
  const reason = "runAsNonRoot != true";
  const own = pod.spec.securityContext?.runAsNonRoot;
  const who = setters(own === false, whose(pod, (context) => context.runAsNonRoot === false));
  if (who !== "" || own) return violation(reason, who, "must not set securityContext.runAsNonRoot=false");
  const silent = containersOf(pod).filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  const whoever = silent.length > 0 ? `pod or ${named(silent)}` : "";
  return violation(reason, whoever, "must set securityContext.runAsNonRoot=true");
}

function runAsUser(pod: PodLike, minor: number): Violation | undefined {
  if (hasOwnUsers(pod, minor)) return undefined;
  const who = setters(pod.spec.securityContext?.runAsUser === 0, whose(pod, (context) => context.runAsUser === 0));
  return violation("runAsUser=0", who, "must not set runAsUser=0");
}

function seccompIsSet(pod: PodLike, minor: number): Violation | undefined {
  if (isWindows(pod, minor)) return undefined;
  const bad = seccompProfile(pod);
  if (bad || isSafeProfile(pod.spec.securityContext?.seccompProfile?.type)) return bad;
  const silent = containersOf(pod).filter(({ securityContext }) => !securityContext?.seccompProfile);
  const does = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return violation("seccompProfile", silent.length > 0 ? `pod or ${named(silent)}` : "", does);
}

/** The additional rules of the restricted level, in the order in which they are reported. */
export const RESTRICTED: Readonly<Record<string, Check>> = {
  allowPrivilegeEscalation: { since: 8, find: allowPrivilegeEscalation },
  capabilities_restricted: { since: 22, replaces: "capabilities_baseline", find: capabilities },
  procMount_restricted: { since: 35, replaces: "procMount", find: procMount },
  restrictedVolumes: { since: 0, replaces: "hostPathVolumes", find: restrictedVolumes },
  runAsNonRoot: { since: 0, find: runAsNonRoot },
  runAsUser: { since: 23, find: runAsUser },
  seccompProfile_restricted: { since: 19, replaces: "seccompProfile_baseline", find: seccompIsSet },
};
