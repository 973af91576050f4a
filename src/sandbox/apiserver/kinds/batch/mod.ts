/** The rules for Jobs and CronJobs. Upstream: `pkg/apis/batch`. */
export { cronJobs, jobs } from "./jobs.ts";
