"""Reports: pages, tables and plots about runs, data sets and audits."""
