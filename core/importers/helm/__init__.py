"""Run folders of HELM: `scenario_state.json` has requests and answers, `per_instance_stats.json` scores."""

from core.importers.helm.reader import Helm

__all__ = ["Helm"]
