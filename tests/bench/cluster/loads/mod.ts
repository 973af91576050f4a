/** What managers are measured with, see {@link Load}. */
import { AUTOSCALERS } from "./autoscalers.ts";
import { CLAIMS } from "./claims.ts";
import { CRON_JOBS_AT_ONCE } from "./cronjobs.ts";
import { DAEMONSET } from "./daemonset.ts";
import { JOB } from "./job.ts";
import type { Load } from "./load.ts";
import { NODES_LOST, NODES_REGISTER, NODES_RENEW } from "./nodes.ts";
import { QUOTAS } from "./quotas.ts";
import { RESOURCE_CLAIMS } from "./resource_claims.ts";
import { SERVICES_WITH_PODS } from "./services.ts";
import { VOLUMES } from "./volumes.ts";

export type { Load, LoadCluster } from "./load.ts";

export const LOADS: readonly Load[] = [
  JOB,
  CRON_JOBS_AT_ONCE,
  DAEMONSET,
  AUTOSCALERS,
  QUOTAS,
  SERVICES_WITH_PODS,
  NODES_REGISTER,
  NODES_RENEW,
  NODES_LOST,
  CLAIMS,
  VOLUMES,
  RESOURCE_CLAIMS,
];
