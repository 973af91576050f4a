/** What every cloud provider must do, as test cases. */
export { cloudConformance } from "./conformance.ts";
export {
  type BalancerTestbed,
  CloudConformanceError,
  type CloudTestbed,
  type CloudTestCase,
  type InstanceTestbed,
  type RouteTestbed,
} from "./testbed.ts";
