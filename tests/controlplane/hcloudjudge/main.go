// Drives every call of the Hetzner Cloud API that a cloud controller manager makes, with the vendor's own client, against an
// emulator, and says in which answers it differs from what the client promises. The project holds servers node-1 to node-60 and
// the network "cluster", which has the first of them at 10.0.0.2.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/hetznercloud/hcloud-go/v2/hcloud"
)

type judge struct {
	client *hcloud.Client
	ctx    context.Context
	checks int
	failed int
}

// check says what is wrong, if something is.
func (j *judge) check(what string, holds bool, details ...any) {
	j.checks++
	if !holds {
		j.failed++
		fmt.Println("FAILED:", what, fmt.Sprint(details...))
	}
}

// done waits for an action, which must not fail.
func (j *judge) done(what string, action *hcloud.Action, err error) {
	if err == nil {
		j.check(what+" begins an action", action != nil && action.ID > 0 && action.Command != "", action)
		err = j.client.Action.WaitFor(j.ctx, action)
	}
	j.check(what, err == nil, err)
}

// refused checks that the API refuses with that code.
func (j *judge) refused(what string, err error, code hcloud.ErrorCode) {
	j.check(what+" is refused as "+string(code), hcloud.IsError(err, code), err)
}

func main() {
	token, endpoint := os.Getenv("HCLOUD_TOKEN"), os.Getenv("HCLOUD_ENDPOINT")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	options := []hcloud.ClientOption{
		hcloud.WithEndpoint(endpoint),
		hcloud.WithPollOpts(hcloud.PollOpts{BackoffFunc: hcloud.ConstantBackoff(20 * time.Millisecond)}),
		hcloud.WithRetryOpts(hcloud.RetryOpts{BackoffFunc: hcloud.ConstantBackoff(time.Millisecond), MaxRetries: 0}),
	}
	j := &judge{client: hcloud.NewClient(append(options, hcloud.WithToken(token))...), ctx: ctx}
	j.servers()
	network := j.networks()
	balancer := j.create()
	j.change(balancer)
	j.services(balancer)
	j.targets(balancer, network)
	j.remove(balancer)
	j.certificates()
	_, err := hcloud.NewClient(append(options, hcloud.WithToken("another"))...).Location.All(ctx)
	j.refused("another token", err, hcloud.ErrorCodeUnauthorized)
	fmt.Printf("%d checks, %d failed\n", j.checks, j.failed)
	if j.failed > 0 {
		os.Exit(1)
	}
}

func (j *judge) servers() {
	servers, err := j.client.Server.All(j.ctx)
	j.check("all servers, in pages", err == nil && len(servers) == 60, len(servers), err)
	page, response, err := j.client.Server.List(j.ctx, hcloud.ServerListOpts{ListOpts: hcloud.ListOpts{Page: 2, PerPage: 50}})
	j.check("a page of servers", err == nil && len(page) == 10, len(page), err)
	if err == nil {
		p := response.Meta.Pagination
		j.check("says where it is", p != nil && p.Page == 2 && p.LastPage == 2 && p.TotalEntries == 60 && p.PreviousPage == 1, p)
		j.check("says what is left of the limit", response.Meta.Ratelimit.Limit > 0, response.Meta.Ratelimit)
	}
	server, _, err := j.client.Server.GetByName(j.ctx, "node-1")
	if err != nil || server == nil {
		j.check("a server by its name", false, err)
		return
	}
	j.check("a server's status", server.Status == hcloud.ServerStatusRunning, server.Status)
	j.check("a server's addresses", server.PublicNet.IPv4.IP.To4() != nil && server.PublicNet.IPv6.Network != nil, server.PublicNet)
	j.check("a server's type", server.ServerType != nil && server.ServerType.Name != "", server.ServerType)
	j.check("a server's location", server.Location != nil && server.Location.Name != "", server.Location)
	j.check("a server's private address", len(server.PrivateNet) == 1 && server.PrivateNet[0].IP.String() == "10.0.0.2", server.PrivateNet)
	byID, _, err := j.client.Server.GetByID(j.ctx, server.ID)
	j.check("a server by its ID", err == nil && byID != nil && byID.Name == "node-1", byID, err)
	none, _, err := j.client.Server.GetByID(j.ctx, 999_999)
	j.check("no server of another ID", err == nil && none == nil, none, err)
	none, _, err = j.client.Server.GetByName(j.ctx, "nobody")
	j.check("no server of another name", err == nil && none == nil, none, err)
	locations, err := j.client.Location.All(j.ctx)
	j.check("locations", err == nil && len(locations) > 0 && locations[0].NetworkZone != "", err)
	types, err := j.client.LoadBalancerType.All(j.ctx)
	j.check("types of balancers", err == nil && len(types) > 1 && types[0].MaxTargets > 0 && types[0].MaxServices > 0, err)
}

func (j *judge) networks() *hcloud.Network {
	network, _, err := j.client.Network.Get(j.ctx, "cluster")
	if err != nil || network == nil {
		j.check("a network by its name", false, err)
		os.Exit(1)
	}
	j.check("a network's range and servers", network.IPRange != nil && len(network.Servers) == 1, network)
	route := hcloud.NetworkRoute{Destination: cidr("10.244.1.0/24"), Gateway: net.ParseIP("10.0.0.2")}
	action, _, err := j.client.Network.AddRoute(j.ctx, network, hcloud.NetworkAddRouteOpts{Route: route})
	j.done("add_route", action, err)
	_, _, err = j.client.Network.AddRoute(j.ctx, network, hcloud.NetworkAddRouteOpts{Route: route})
	j.refused("a route twice", err, hcloud.ErrorCodeInvalidInput)
	network, _, err = j.client.Network.GetByID(j.ctx, network.ID)
	j.check("a network's routes", err == nil && len(network.Routes) == 1 && network.Routes[0].Gateway.String() == "10.0.0.2", err)
	action, _, err = j.client.Network.DeleteRoute(j.ctx, network, hcloud.NetworkDeleteRouteOpts{Route: route})
	j.done("delete_route", action, err)
	_, _, err = j.client.Network.DeleteRoute(j.ctx, network, hcloud.NetworkDeleteRouteOpts{Route: route})
	j.check("a route that is not there is refused", err != nil)
	return network
}

func (j *judge) create() *hcloud.LoadBalancer {
	enabled := true
	options := hcloud.LoadBalancerCreateOpts{
		Name:             "front",
		LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb11"},
		Location:         &hcloud.Location{Name: "fsn1"},
		Algorithm:        &hcloud.LoadBalancerAlgorithm{Type: hcloud.LoadBalancerAlgorithmTypeLeastConnections},
		Labels:           map[string]string{"hcloud-ccm/service-uid": "5dd0"},
		PublicInterface:  &enabled,
	}
	result, _, err := j.client.LoadBalancer.Create(j.ctx, options)
	j.done("create", result.Action, err)
	_, _, err = j.client.LoadBalancer.Create(j.ctx, options)
	j.refused("a name twice", err, hcloud.ErrorCodeUniquenessError)
	options.Name, options.Location = "nowhere", nil
	_, _, err = j.client.LoadBalancer.Create(j.ctx, options)
	j.refused("a balancer nowhere", err, hcloud.ErrorCodeInvalidInput)
	found, err := j.client.LoadBalancer.AllWithOpts(j.ctx, hcloud.LoadBalancerListOpts{
		ListOpts: hcloud.ListOpts{LabelSelector: "hcloud-ccm/service-uid=5dd0"},
	})
	j.check("a balancer by its label", err == nil && len(found) == 1, len(found), err)
	found, err = j.client.LoadBalancer.AllWithOpts(j.ctx, hcloud.LoadBalancerListOpts{
		ListOpts: hcloud.ListOpts{LabelSelector: "hcloud-ccm/service-uid=another"},
	})
	j.check("none by another", err == nil && len(found) == 0, len(found), err)
	return j.reload("front")
}

func (j *judge) reload(name string) *hcloud.LoadBalancer {
	balancer, _, err := j.client.LoadBalancer.GetByName(j.ctx, name)
	if err != nil || balancer == nil {
		j.check("a balancer by its name", false, err)
		os.Exit(1)
	}
	return balancer
}

func (j *judge) change(balancer *hcloud.LoadBalancer) {
	b := &j.client.LoadBalancer
	j.check("a balancer's addresses", balancer.PublicNet.IPv4.IP != nil && balancer.PublicNet.IPv6.IP != nil, balancer.PublicNet)
	j.check("a balancer's algorithm", balancer.Algorithm.Type == hcloud.LoadBalancerAlgorithmTypeLeastConnections)
	action, _, err := b.ChangeAlgorithm(j.ctx, balancer, hcloud.LoadBalancerChangeAlgorithmOpts{Type: hcloud.LoadBalancerAlgorithmTypeRoundRobin})
	j.done("change_algorithm", action, err)
	action, _, err = b.ChangeType(j.ctx, balancer, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb21"}})
	j.done("change_type", action, err)
	_, _, err = b.ChangeType(j.ctx, balancer, hcloud.LoadBalancerChangeTypeOpts{LoadBalancerType: &hcloud.LoadBalancerType{Name: "lb99"}})
	j.refused("an unknown type", err, hcloud.ErrorCodeInvalidInput)
	pointer := "front.example.com"
	action, _, err = b.ChangeDNSPtr(j.ctx, balancer, balancer.PublicNet.IPv4.IP.String(), &pointer)
	j.done("change_dns_ptr", action, err)
	action, _, err = b.DisablePublicInterface(j.ctx, balancer)
	j.done("disable_public_interface", action, err)
	updated, _, err := b.Update(j.ctx, balancer, hcloud.LoadBalancerUpdateOpts{Name: "back", Labels: map[string]string{"a": "b"}})
	j.check("a name and labels change", err == nil && updated.Name == "back" && updated.Labels["a"] == "b", err)
	after := j.reload("back")
	j.check("all of it is so afterwards", !after.PublicNet.Enabled && after.LoadBalancerType.Name == "lb21" &&
		after.Algorithm.Type == hcloud.LoadBalancerAlgorithmTypeRoundRobin && after.PublicNet.IPv4.DNSPtr == pointer, after)
	action, _, err = b.EnablePublicInterface(j.ctx, balancer)
	j.check("an action begins as running", err == nil && action.Status == hcloud.ActionStatusRunning, action)
	_, _, locked := b.DisablePublicInterface(j.ctx, balancer)
	j.refused("a change during another", locked, hcloud.ErrorCodeLocked)
	j.done("enable_public_interface", action, err)
}

func (j *judge) services(balancer *hcloud.LoadBalancer) {
	b := &j.client.LoadBalancer
	port, node, changed, proxy := 80, 30080, 30081, true
	options := hcloud.LoadBalancerAddServiceOpts{
		Protocol: hcloud.LoadBalancerServiceProtocolTCP, ListenPort: &port, DestinationPort: &node,
		HealthCheck: &hcloud.LoadBalancerAddServiceOptsHealthCheck{Protocol: hcloud.LoadBalancerServiceProtocolTCP, Port: &node},
	}
	action, _, err := b.AddService(j.ctx, balancer, options)
	j.done("add_service", action, err)
	_, _, err = b.AddService(j.ctx, balancer, options)
	j.refused("a port twice", err, hcloud.ErrorCodeSourcePortAlreadyUsed)
	action, _, err = b.UpdateService(j.ctx, balancer, port, hcloud.LoadBalancerUpdateServiceOpts{DestinationPort: &changed, Proxyprotocol: &proxy})
	j.done("update_service", action, err)
	services := j.reload("back").Services
	j.check("a service is so afterwards", len(services) == 1 && services[0].DestinationPort == changed && services[0].Proxyprotocol &&
		services[0].HealthCheck.Port == node && services[0].HealthCheck.Interval == 15*time.Second, services)
	https := 443
	_, _, err = b.AddService(j.ctx, balancer, hcloud.LoadBalancerAddServiceOpts{
		Protocol: hcloud.LoadBalancerServiceProtocolHTTPS, ListenPort: &https, DestinationPort: &node,
	})
	j.refused("https without certificates", err, hcloud.ErrorCodeInvalidInput)
	action, _, err = b.DeleteService(j.ctx, balancer, port)
	j.done("delete_service", action, err)
	_, _, err = b.DeleteService(j.ctx, balancer, port)
	j.refused("a port that is not there", err, hcloud.ErrorCodeNotFound)
}

func (j *judge) targets(balancer *hcloud.LoadBalancer, network *hcloud.Network) {
	b := &j.client.LoadBalancer
	first := &hcloud.Server{ID: network.Servers[0].ID}
	private := true
	options := hcloud.LoadBalancerAddServerTargetOpts{Server: first, UsePrivateIP: &private}
	_, _, err := b.AddServerTarget(j.ctx, balancer, options)
	j.check("a private target before the balancer is in the network is refused", err != nil)
	action, _, err := b.AttachToNetwork(j.ctx, balancer, hcloud.LoadBalancerAttachToNetworkOpts{Network: network, IP: net.ParseIP("10.0.0.200")})
	j.done("attach_to_network", action, err)
	_, _, err = b.AttachToNetwork(j.ctx, balancer, hcloud.LoadBalancerAttachToNetworkOpts{Network: network})
	j.refused("a network twice", err, hcloud.ErrorCodeLoadBalancerAlreadyAttached)
	action, _, err = b.AddServerTarget(j.ctx, balancer, options)
	j.done("add_target", action, err)
	_, _, err = b.AddServerTarget(j.ctx, balancer, options)
	j.refused("a target twice", err, hcloud.ErrorCodeTargetAlreadyDefined)
	after := j.reload("back")
	j.check("both are so afterwards", len(after.PrivateNet) == 1 && after.PrivateNet[0].IP.String() == "10.0.0.200" && len(after.Targets) == 1 &&
		after.Targets[0].UsePrivateIP && after.Targets[0].Server.Server.ID == first.ID, after)
	action, _, err = b.RemoveServerTarget(j.ctx, balancer, first)
	j.done("remove_target", action, err)
	_, _, err = b.RemoveServerTarget(j.ctx, balancer, first)
	j.check("a target that is not there is refused", err != nil)
	action, _, err = b.DetachFromNetwork(j.ctx, balancer, hcloud.LoadBalancerDetachFromNetworkOpts{Network: network})
	j.done("detach_from_network", action, err)
}

func (j *judge) remove(balancer *hcloud.LoadBalancer) {
	b := &j.client.LoadBalancer
	yes, no := true, false
	action, _, err := b.ChangeProtection(j.ctx, balancer, hcloud.LoadBalancerChangeProtectionOpts{Delete: &yes})
	j.done("change_protection", action, err)
	_, err = b.Delete(j.ctx, balancer)
	j.refused("to delete what is protected", err, hcloud.ErrorCodeProtected)
	action, _, err = b.ChangeProtection(j.ctx, balancer, hcloud.LoadBalancerChangeProtectionOpts{Delete: &no})
	j.done("change_protection", action, err)
	_, err = b.Delete(j.ctx, balancer)
	j.check("delete", err == nil, err)
	_, err = b.Delete(j.ctx, balancer)
	j.refused("to delete what is gone", err, hcloud.ErrorCodeNotFound)
}

func (j *judge) certificates() {
	options := hcloud.CertificateCreateOpts{
		Name: "web", Type: hcloud.CertificateTypeManaged, DomainNames: []string{"example.com"}, Labels: map[string]string{"a": "b"},
	}
	result, _, err := j.client.Certificate.CreateCertificate(j.ctx, options)
	j.done("create a certificate", result.Action, err)
	_, _, err = j.client.Certificate.CreateCertificate(j.ctx, options)
	j.refused("a certificate's name twice", err, hcloud.ErrorCodeUniquenessError)
	found, _, err := j.client.Certificate.Get(j.ctx, "web")
	j.check("a certificate by its name", err == nil && found != nil && found.DomainNames[0] == "example.com", err)
	var apiError hcloud.Error
	_, _, err = j.client.Certificate.CreateCertificate(j.ctx, hcloud.CertificateCreateOpts{Name: "no domains", Type: hcloud.CertificateTypeManaged, DomainNames: []string{}})
	j.check("a certificate without domains is refused", errors.As(err, &apiError) || err != nil)
}

func cidr(text string) *net.IPNet {
	_, network, err := net.ParseCIDR(text)
	if err != nil {
		panic(err)
	}
	return network
}
