import numpy as np
import pytest

from beanleague.league.ratings import student_t

FREEDOM = np.array([1, 2, 3, 4, 7, 19, 30, 100, 999, 20_000, 250_000])


def test_distribution_function_agrees_with_scipy() -> None:
    from scipy.special import stdtr  # slow, and every process reads this file

    t = np.array([-40, -3, -1.5, -0.2, 0, 1e-9, 0.7, 1.96, 5, 12.7, 300])[:, None]
    assert np.allclose(student_t.cdf(t, FREEDOM), stdtr(FREEDOM, t), atol=1e-9, rtol=1e-7)


@pytest.mark.parametrize("p", [0.5, 0.9, 0.975, 0.999])
def test_quantiles_agree_with_scipy(p: float) -> None:
    from scipy.special import stdtrit  # as above

    assert np.allclose(student_t.quantile(p, FREEDOM), stdtrit(FREEDOM, p), atol=1e-8, rtol=1e-8)


def test_shapes_are_kept() -> None:
    assert student_t.quantile(0.975, np.array([[3, 5], [5, 9]])).shape == (2, 2)
    assert student_t.cdf(0.5, np.array([[3, 5]])).shape == (1, 2)


def test_quantiles_asked_for_again_are_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    freedom = np.array([[3.25, 5.25], [5.25, 9.25]])
    first = student_t.quantile(0.975, freedom)
    monkeypatch.setattr(student_t, "cdf", lambda *_: pytest.fail("it was computed again"))
    again = student_t.quantile(0.975, freedom[::-1])
    assert (again == first[::-1]).all()
    again[:] = 0  # a caller may do what it likes with its own
    assert (student_t.quantile(0.975, freedom) == first).all()
