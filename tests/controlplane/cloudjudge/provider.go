package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	cloudprovider "k8s.io/cloud-provider"
)

const providerName = "judge"

func init() {
	cloudprovider.RegisterCloudProvider(providerName, func(config io.Reader) (cloudprovider.Interface, error) {
		if config == nil {
			return nil, errors.New("--cloud-config is empty: it names a file such as {\"url\": \"http://127.0.0.1:8080\"}")
		}
		var given struct {
			URL string `json:"url"`
		}
		if err := json.NewDecoder(config).Decode(&given); err != nil {
			return nil, fmt.Errorf("--cloud-config: %w", err)
		}
		cloud := &cloud{carrier: carrier{url: given.URL}}
		if err := cloud.carrier.call(context.Background(), "describe", &cloud.description); err != nil {
			return nil, err
		}
		return cloud, nil
	})
}

type cloud struct {
	carrier     carrier
	description struct {
		Name         string   `json:"name"`
		HasClusterID bool     `json:"hasClusterId"`
		Capabilities []string `json:"capabilities"`
	}
}

func (c *cloud) can(capability string) bool {
	return slices.Contains(c.description.Capabilities, capability)
}

func (c *cloud) Initialize(cloudprovider.ControllerClientBuilder, <-chan struct{}) {}
func (c *cloud) LoadBalancer() (cloudprovider.LoadBalancer, bool)                  { return c, c.can("loadBalancers") }
func (c *cloud) Instances() (cloudprovider.Instances, bool)                        { return nil, false }
func (c *cloud) InstancesV2() (cloudprovider.InstancesV2, bool)                    { return c, c.can("instances") }
func (c *cloud) Zones() (cloudprovider.Zones, bool)                                { return nil, false }
func (c *cloud) Clusters() (cloudprovider.Clusters, bool)                          { return nil, false }
func (c *cloud) Routes() (cloudprovider.Routes, bool)                              { return c, c.can("routes") }
func (c *cloud) ProviderName() string                                              { return c.description.Name }
func (c *cloud) HasClusterID() bool                                                { return c.description.HasClusterID }

func (c *cloud) GetLoadBalancer(ctx context.Context, cluster string, service *v1.Service) (*v1.LoadBalancerStatus, bool, error) {
	var status *v1.LoadBalancerStatus
	err := c.carrier.call(ctx, "loadBalancers/getLoadBalancer", &status, cluster, service)
	return status, status != nil, err
}

func (c *cloud) GetLoadBalancerName(_ context.Context, _ string, service *v1.Service) string {
	return cloudprovider.DefaultLoadBalancerName(service)
}

func (c *cloud) EnsureLoadBalancer(
	ctx context.Context, cluster string, service *v1.Service, nodes []*v1.Node,
) (*v1.LoadBalancerStatus, error) {
	var status *v1.LoadBalancerStatus
	err := c.carrier.call(ctx, "loadBalancers/ensureLoadBalancer", &status, cluster, service, nodes)
	return status, err
}

func (c *cloud) UpdateLoadBalancer(ctx context.Context, cluster string, service *v1.Service, nodes []*v1.Node) error {
	return c.carrier.call(ctx, "loadBalancers/updateLoadBalancer", nil, cluster, service, nodes)
}

func (c *cloud) EnsureLoadBalancerDeleted(ctx context.Context, cluster string, service *v1.Service) error {
	return c.carrier.call(ctx, "loadBalancers/ensureLoadBalancerDeleted", nil, cluster, service)
}

func (c *cloud) InstanceExists(ctx context.Context, node *v1.Node) (exists bool, err error) {
	err = c.carrier.call(ctx, "instances/instanceExists", &exists, node)
	return exists, err
}

func (c *cloud) InstanceShutdown(ctx context.Context, node *v1.Node) (isShutDown bool, err error) {
	err = c.carrier.call(ctx, "instances/instanceShutdown", &isShutDown, node)
	return isShutDown, err
}

func (c *cloud) InstanceMetadata(ctx context.Context, node *v1.Node) (*cloudprovider.InstanceMetadata, error) {
	// Its fields have the names of the protocol but for their case, which does not matter.
	var metadata *cloudprovider.InstanceMetadata
	err := c.carrier.call(ctx, "instances/instanceMetadata", &metadata, node)
	return metadata, err
}

// route is a cloudprovider.Route in the words of the protocol.
type route struct {
	Name                string           `json:"name,omitempty"`
	TargetNode          types.NodeName   `json:"targetNode"`
	DestinationCIDR     string           `json:"destinationCIDR"`
	EnableNodeAddresses bool             `json:"enableNodeAddresses,omitempty"`
	TargetNodeAddresses []v1.NodeAddress `json:"targetNodeAddresses,omitempty"`
	Blackhole           bool             `json:"blackhole,omitempty"`
}

func inProtocol(r *cloudprovider.Route) route {
	return route{r.Name, r.TargetNode, r.DestinationCIDR, r.EnableNodeAddresses, r.TargetNodeAddresses, r.Blackhole}
}

func (c *cloud) ListRoutes(ctx context.Context, cluster string) ([]*cloudprovider.Route, error) {
	var listed []route
	if err := c.carrier.call(ctx, "routes/listRoutes", &listed, cluster); err != nil {
		return nil, err
	}
	routes := make([]*cloudprovider.Route, 0, len(listed))
	for _, r := range listed {
		routes = append(routes, &cloudprovider.Route{
			Name: r.Name, TargetNode: r.TargetNode, DestinationCIDR: r.DestinationCIDR, EnableNodeAddresses: r.EnableNodeAddresses,
			TargetNodeAddresses: r.TargetNodeAddresses, Blackhole: r.Blackhole,
		})
	}
	return routes, nil
}

func (c *cloud) CreateRoute(ctx context.Context, cluster string, nameHint string, r *cloudprovider.Route) error {
	return c.carrier.call(ctx, "routes/createRoute", nil, cluster, nameHint, inProtocol(r))
}

func (c *cloud) DeleteRoute(ctx context.Context, cluster string, r *cloudprovider.Route) error {
	return c.carrier.call(ctx, "routes/deleteRoute", nil, cluster, inProtocol(r))
}
