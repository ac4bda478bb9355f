package main

import "github.com/spf13/cobra"

func (c *cli) watchCommand() *cobra.Command { return &cobra.Command{Use: "watch"} }
func (c *cli) auditCommand() *cobra.Command { return &cobra.Command{Use: "audit"} }
func (c *cli) drillCommand() *cobra.Command { return &cobra.Command{Use: "drill"} }
