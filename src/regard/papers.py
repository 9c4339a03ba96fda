"""Papers that several mechanisms come from."""

from .mechanism import Paper

ANDERSON_2018 = Paper("Anderson 2018", "https://arxiv.org/abs/1707.07998")
BAHDANAU_2014 = Paper("Bahdanau 2014", "https://arxiv.org/abs/1409.0473")
BELTAGY_2020 = Paper("Beltagy 2020", "https://arxiv.org/abs/2004.05150")
CHENG_2016 = Paper("Cheng 2016", "https://arxiv.org/abs/1601.06733")
CHILD_2019 = Paper("Child 2019", "https://arxiv.org/abs/1904.10509")
DOSOVITSKIY_2021 = Paper("Dosovitskiy 2021", "https://arxiv.org/abs/2010.11929")
JOZEFOWICZ_2015 = Paper("Jozefowicz 2015", "https://proceedings.mlr.press/v37/jozefowicz15.html")
JUMPER_2021 = Paper("Jumper 2021", "https://doi.org/10.1038/s41586-021-03819-2")
LIN_2017 = Paper("Lin 2017", "https://arxiv.org/abs/1703.03130")
LUONG_2015 = Paper("Luong 2015", "https://arxiv.org/abs/1508.04025")
NADARAYA_WATSON_1964 = Paper("Nadaraya 1964, Watson 1964", "https://doi.org/10.1137/1109020")
PETERS_2019 = Paper("Peters 2019", "https://arxiv.org/abs/1905.05702")
SHAW_2018 = Paper("Shaw 2018", "https://arxiv.org/abs/1803.02155")
VASWANI_2017 = Paper("Vaswani 2017", "https://arxiv.org/abs/1706.03762")
WANG_2018 = Paper("Wang 2018", "https://arxiv.org/abs/1711.07971")
WOO_2018 = Paper("Woo 2018", "https://arxiv.org/abs/1807.06521")
XU_2015 = Paper("Xu 2015", "https://arxiv.org/abs/1502.03044")
